import { once } from "node:events";
import { createServer } from "node:http";

/**
 * A small service on loopback for the examples to call. `answer(number)` gives the status of its
 * first, second, … answer.
 */
export async function startServer(answer) {
  let received = 0;
  const server = createServer((request, response) => {
    request.resume();
    received++;
    response.writeHead(answer(received)).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    received: () => received,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
