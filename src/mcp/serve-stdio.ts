import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { createMcpServer, type McpParts } from './mcp-server.ts';

/** Serves one client over stdin and stdout, until the client closes stdin or `stop` is aborted. */
export async function serveStdio(parts: Omit<McpParts, 'isLocal'>, stop: AbortSignal): Promise<void> {
  const server = createMcpServer({ ...parts, isLocal: true });
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve);
    process.stdin.once('close', resolve);
    // A client that has left does not read any more. Each write to it has an error.
    process.stdout.on('error', () => resolve());
    // A message that is too long closes the transport, which then reads no more of stdin.
    server.onclose = resolve;
    stop.addEventListener('abort', () => resolve(), { once: true });
  });
  await server.connect(new StdioServerTransport());
  await ended;
  await server.close();
}
