// Shows the programs of each `.languages` block as tabs. The choice holds for all of them,
// on all pages. Without this script, all programs show, each under its language.
(() => {
  const KEY = 'libpayments-language';
  const groups = [];
  function remembered() {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null; // Storage is turned off.
    }
  }

  function choose(language) {
    for (const { tab, panel, language: own } of groups.flat()) {
      tab.setAttribute('aria-selected', String(own === language));
      tab.tabIndex = own === language ? 0 : -1;
      panel.hidden = own !== language;
    }
  }

  function take(language) {
    choose(language);
    try {
      localStorage.setItem(KEY, language);
    } catch {}
  }

  document.querySelectorAll('div.languages').forEach((block) => {
    const list = document.createElement('div');
    list.setAttribute('role', 'tablist');
    const tabs = [...block.querySelectorAll(':scope > p > strong:only-child')].map((name) => {
      const language = name.textContent;
      const tab = document.createElement('button');
      const panel = name.parentElement.nextElementSibling;
      tab.textContent = language;
      tab.setAttribute('role', 'tab');
      tab.addEventListener('click', () => take(language));
      panel.setAttribute('role', 'tabpanel');
      panel.setAttribute('aria-label', language);
      name.parentElement.remove();
      list.append(tab);
      return { language, tab, panel };
    });
    list.addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      event.stopPropagation(); // These keys turn the pages of the book.
      const at = tabs.findIndex(({ tab }) => tab === document.activeElement) + step;
      const next = tabs[(at + tabs.length) % tabs.length];
      take(next.language);
      next.tab.focus();
    });
    block.prepend(list);
    groups.push(tabs);
  });
  const languages = groups.flat().map(({ language }) => language);
  choose(languages.includes(remembered()) ? remembered() : languages[0]);
})();
