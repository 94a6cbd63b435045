"""Closes its half of each connection, then resets it while the client writes.

Usage: reset_server.py CERTIFICATE KEY; prints the plain port and that of TLS.
"""

import socket
import ssl
import struct
import sys
import threading
import time


def serve(listener: socket.socket, context: ssl.SSLContext | None) -> None:
    while True:
        connection, _ = listener.accept()
        try:
            # By now, the client is writing: it sends nothing on a closed connection.
            if context is None:
                connection.recv(1)
            else:
                tls = context.wrap_socket(connection, server_side=True)
                tls.recv(1)
                connection = socket.socket(fileno=tls.detach())
            # First a close, then a reset: the next write meets a broken pipe, for which
            # the kernel sends SIGPIPE.
            connection.shutdown(socket.SHUT_WR)
            time.sleep(0.05)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        except OSError:
            pass
        finally:
            connection.close()


def main() -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1], sys.argv[2])
    listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
    print(*(listener.getsockname()[1] for listener in listeners), flush=True)
    threading.Thread(target=serve, args=(listeners[0], None), daemon=True).start()
    serve(listeners[1], context)


main()
