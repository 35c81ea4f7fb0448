import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { ServedChain } from './made-chain.ts';
import type { NodeAnswer, NodeAnswers } from './node-answers.ts';

const HEAD_END = Buffer.from('\r\n\r\n');
const LENGTH = /\r\ncontent-length: *(\d+)/i;
const GET = 0x47;
const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ';

/**
 * Serves a node over HTTP/1.1 and WebSocket on one port.
 * @returns the port
 */
export async function serveNode(answers: NodeAnswers, chain: ServedChain): Promise<number> {
  const upgrade = serveWebSockets(answers, chain);
  const server = createServer({ noDelay: true }, (socket) => {
    const connection = new NodeConnection(socket, answers);
    const read = (chunk: Buffer): void => {
      const rest = connection.read(chunk);
      if (rest === undefined) return;
      socket.off('data', read);
      socket.unshift(rest);
      upgrade(socket);
    };
    socket.on('error', () => socket.destroy());
    socket.on('data', read);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Reads requests from a connection and writes their answers. */
class NodeConnection {
  readonly #socket: Socket;
  readonly #answers: NodeAnswers;
  #pending: Buffer | undefined;

  constructor(socket: Socket, answers: NodeAnswers) {
    this.#socket = socket;
    this.#answers = answers;
  }

  /** @returns the bytes of an upgrade request, which may come on a connection that was used before; undefined for other input */
  read(chunk: Buffer): Buffer | undefined {
    const bytes = this.#pending === undefined ? chunk : Buffer.concat([this.#pending, chunk]);
    let at = 0;
    while (at < bytes.length) {
      if (bytes[at] === GET) return bytes.subarray(at);
      const headEnd = bytes.indexOf(HEAD_END, at);
      if (headEnd < 0) break;
      const bodyStart = headEnd + HEAD_END.length;
      const length = LENGTH.exec(bytes.toString('latin1', at, headEnd))?.[1];
      if (length === undefined) throw new Error('a request without Content-Length');
      const end = bodyStart + Number(length);
      if (end > bytes.length) break;
      this.#write(this.#answers.answer(bytes.toString('latin1', bodyStart, end)));
      at = end;
    }
    this.#pending = at === bytes.length ? undefined : bytes.subarray(at);
    return undefined;
  }

  #write(answer: NodeAnswer): void {
    if (typeof answer === 'string') {
      this.#socket.write(`${HEAD}${answer.length}\r\n\r\n${answer}`, 'latin1');
      return;
    }
    const [before, bytes, after] = answer;
    const length = before.length + bytes.length + after.length;
    this.#socket.cork();
    this.#socket.write(`${HEAD}${length}\r\n\r\n${before}`, 'latin1');
    this.#socket.write(bytes);
    this.#socket.write(after, 'latin1');
    this.#socket.uncork();
  }
}

/** Takes connections over at a GET. New heads are sent to every connection that has subscribed. */
function serveWebSockets(answers: NodeAnswers, chain: ServedChain): (socket: Socket) => void {
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  const subscribers = new Set<WebSocket>();
  const http = createHttpServer();
  http.on('upgrade', (request, socket, head) => {
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      webSocket.on('error', () => webSocket.terminate());
      webSocket.on('close', () => subscribers.delete(webSocket));
      webSocket.on('message', (message: Buffer) => {
        const text = message.toString('latin1');
        const answer = answers.answer(text);
        if (text.includes('"eth_subscribe"')) subscribers.add(webSocket);
        if (typeof answer === 'string') webSocket.send(answer);
        else
          webSocket.send(Buffer.concat([Buffer.from(answer[0]), answer[1], Buffer.from(answer[2])]), {
            binary: false,
          });
      });
    });
  });
  const announce = (): void => {
    const params = `{"subscription":"0x1","result":${chain.find('latest')?.json}}`;
    const text = `{"jsonrpc":"2.0","method":"eth_subscription","params":${params}}`;
    for (const webSocket of subscribers) webSocket.send(text);
    setTimeout(announce, chain.untilNext).unref();
  };
  setTimeout(announce, chain.untilNext).unref();
  return (socket) => http.emit('connection', socket);
}
