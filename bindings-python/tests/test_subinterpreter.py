"""A subinterpreter, as mod_wsgi makes one, cannot import the package."""

from __future__ import annotations

from programs import run_quietly
from support import Sandbox


def test_a_subinterpreter_gets_an_import_error(sandbox: Sandbox) -> None:
    printed = run_quietly(
        sandbox,
        """
        try:
            import _interpreters as interpreters
        except ImportError:
            import _xxsubinterpreters as interpreters
        code = '''
        try:
            import libpayments
        except ImportError as error:
            print(error, flush=True)
        '''
        import textwrap
        interpreter = (
            interpreters.create("legacy")
            if interpreters.__name__ == "_interpreters"
            else interpreters.create(isolated=False)
        )
        interpreters.run_string(interpreter, textwrap.dedent(code))
        interpreters.destroy(interpreter)
        print(libpayments.Client(**configuration).create_payment(payment=payment).status)
        """,
    )
    refused, paid = printed.splitlines()
    assert "subinterpreter" in refused
    assert paid == "PE"


def test_after_a_subinterpreter_was_refused_the_main_one_works(sandbox: Sandbox) -> None:
    printed = run_quietly(
        sandbox,
        """
        import subprocess
        code = '''
        try:
            import _interpreters as interpreters
            interpreter = interpreters.create("legacy")
        except ImportError:
            import _xxsubinterpreters as interpreters
            interpreter = interpreters.create(isolated=False)
        interpreters.run_string(interpreter, "try:\\\\n import libpayments\\\\n"
            "except ImportError as error:\\\\n print(error, flush=True)")
        interpreters.destroy(interpreter)

        import gc, json, sys
        import libpayments
        from libpayments import _native
        # A type of the interpreter that is gone is unknown to this one.
        print(any(known is _native.Work for known in gc.get_objects()))
        configuration, payment = json.loads(sys.argv[1]), json.loads(sys.argv[2])
        print(libpayments.Client(**configuration).create_payment(payment=payment).status)
        '''
        import textwrap
        arguments = [json.dumps(configuration), json.dumps(payment)]
        subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code), *arguments], timeout=60, check=True
        )
        """,
    )
    refused, known, paid = printed.splitlines()
    assert "subinterpreter" in refused
    assert (known, paid) == ("True", "PE")
