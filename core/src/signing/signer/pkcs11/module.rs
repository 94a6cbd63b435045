//! PKCS#11 modules: the shared libraries of HSM vendors, loaded and initialized
//! once per process.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex};

use cryptoki::context::{CInitializeArgs, CInitializeFlags, Pkcs11};
use cryptoki::error::{Error as CryptokiError, RvError};
use payments_base::process::{PerProcess, lock, try_lock};
use payments_base::real_path::real_path;
use payments_base::standard_streams;
use payments_transport::inside::Semaphore;
use sha2::{Digest as _, Sha256};

use super::{Way, refusal};
use crate::model::error::{Error, messages};

/// The ways in which the keys of a module sign, as found out by this process.
#[derive(Default)]
pub(super) struct Trials {
    /// Held during a trial, so that a key is tried once.
    pub(super) running: Semaphore,
    pub(super) found: Mutex<HashMap<[u8; 32], Way>>,
}

/// A loaded module. It is never finalized or unloaded: other code in the
/// process may use it, and its threads would lose their code.
pub(super) struct Module {
    functions: Pkcs11,
    /// Counts initializations. Handles from before the latest one are invalid.
    epoch: AtomicU64,
    initializing: Mutex<()>,
    /// Held during a login.
    pub(super) logins: Semaphore,
    /// PINs that the token refused, so that none is tried twice: a token locks
    /// itself after a few failures.
    pub(super) refused_pins: Mutex<RefusedPins>,
    pub(super) trials: Trials,
}

/// Digests of token and PIN, for refused PINs.
#[derive(Clone, Default)]
pub(super) struct RefusedPins(HashSet<[u8; 32]>);

type Modules = HashMap<PathBuf, Arc<Module>>;

/// The modules of this process. A library has one state, even if it is loaded
/// twice.
static MODULES: LazyLock<PerProcess<Mutex<Modules>>> = LazyLock::new(|| {
    PerProcess::new(Mutex::default(), |parent| {
        let inherited = try_lock(parent).map(|modules| modules.clone()).unwrap_or_default();
        let renewed = |(path, module): (PathBuf, Arc<Module>)| (path, Arc::new(module.in_child()));
        Mutex::new(inherited.into_iter().map(renewed).collect())
    })
});

/// Resolves the path of a module, so that no search path decides which library
/// is loaded, and two names of one file refer to one module.
pub(super) fn locate(path: &Path) -> Result<PathBuf, Error> {
    let real = real_path(path).map_err(|error| {
        let (path, why) = (path.display(), error.kind());
        messages::pkcs11_module_missing(format_args!("could not find the module {path} ({why})"))
    })?;
    if real.is_file() {
        Ok(real)
    } else {
        Err(messages::pkcs11_module_missing(format_args!("{} is not a file", real.display())))
    }
}

/// Returns the module at this resolved path. Once loaded, it stays the same
/// even if the file changes.
pub(super) fn load(path: &Path) -> Result<Arc<Module>, Error> {
    let modules = MODULES.get();
    let mut modules = lock(&modules);
    if let Some(module) = modules.get(path) {
        return Ok(Arc::clone(module));
    }
    standard_streams::occupy();
    let functions = Pkcs11::new(path).map_err(|error| refusal::loading(path, &error))?;
    let module = Arc::new(Module::new(functions, RefusedPins::default()));
    modules.insert(path.to_owned(), Arc::clone(&module));
    Ok(module)
}

impl Module {
    fn new(functions: Pkcs11, refused_pins: RefusedPins) -> Self {
        Self {
            functions,
            epoch: AtomicU64::new(0),
            initializing: Mutex::default(),
            logins: Semaphore::default(),
            refused_pins: Mutex::new(refused_pins),
            trials: Trials::default(),
        }
    }

    /// The module for a forked child, which must initialize it again.
    fn in_child(&self) -> Self {
        let refused = try_lock(&self.refused_pins).map(|pins| pins.clone()).unwrap_or_default();
        Self::new(self.functions.clone(), refused)
    }

    pub(super) fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::Acquire)
    }

    /// The functions of the module, initialized in this process.
    pub(super) fn initialized(&self) -> Result<&Pkcs11, Error> {
        self.initialize_unless_after(0)?;
        // Other code may have finalized the module.
        let epoch = self.epoch();
        if let Err(CryptokiError::Pkcs11(RvError::CryptokiNotInitialized, _)) =
            self.functions.get_library_info()
        {
            self.initialize_unless_after(epoch)?;
        }
        Ok(&self.functions)
    }

    /// Initializes the module, unless another thread has done so since `epoch`.
    fn initialize_unless_after(&self, epoch: u64) -> Result<(), Error> {
        let _guard = lock(&self.initializing);
        if self.epoch() > epoch {
            return Ok(());
        }
        match self.functions.initialize(CInitializeArgs::new(CInitializeFlags::OS_LOCKING_OK)) {
            // Other code has initialized it, or the module did not notice the
            // fork and its inherited state works.
            Ok(()) | Err(CryptokiError::Pkcs11(RvError::CryptokiAlreadyInitialized, _)) => {
                self.epoch.fetch_add(1, Ordering::AcqRel);
                Ok(())
            }
            Err(error) => Err(refusal::initialization(&error)),
        }
    }
}

impl RefusedPins {
    pub(super) fn contains(&self, token: &str, pin: &str) -> bool {
        self.0.contains(&digest(token, pin))
    }

    pub(super) fn insert(&mut self, token: &str, pin: &str) {
        self.0.insert(digest(token, pin));
    }
}

fn digest(token: &str, pin: &str) -> [u8; 32] {
    let digest = Sha256::new().chain_update(token).chain_update([0]).chain_update(pin);
    digest.finalize().into()
}
