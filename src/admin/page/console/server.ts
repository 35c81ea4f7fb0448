import type { MethodDoc } from './open-rpc.ts';
import type { ConsoleAnswer, ConsoleRequest, ServiceAddress, WatchLine } from './wire.ts';

/** Error: the admin server refused a request, or the service did not answer it. */
export class AdminProblem extends Error {
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/**
 * Fetches the methods of the service's OpenRPC document.
 * @throws Error with a readable message
 */
export async function fetchMethods(): Promise<readonly MethodDoc[]> {
  const { methods } = (await fetchJson('openrpc.json')) as { methods: readonly MethodDoc[] };
  return methods;
}

/** @throws Error with a readable message */
export async function fetchServiceAddress(): Promise<ServiceAddress> {
  return (await fetchJson('console')) as ServiceAddress;
}

/**
 * Sends a request to the service through the admin server.
 * @throws Error with a readable message
 */
export async function sendRequest(request: ConsoleRequest, signal: AbortSignal): Promise<ConsoleAnswer> {
  const headers = { 'Content-Type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(request), signal };
  return (await fetchJson('console', init)) as ConsoleAnswer;
}

/**
 * Lets the admin server send a request over a WebSocket. Calls `onLine` for each message until the connection ends or `signal` is aborted.
 * @throws Error with a readable message
 */
export async function watchMessages(
  request: ConsoleRequest,
  onLine: (line: WatchLine) => void,
  signal: AbortSignal,
): Promise<void> {
  const headers = { 'Content-Type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(request), signal };
  const { body } = await fetchFine('console/watch', init);
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (let piece = await reader?.read(); piece?.value !== undefined; piece = await reader?.read()) {
    const lines = (text + piece.value).split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) onLine(JSON.parse(line) as WatchLine);
  }
}

async function fetchJson(path: string, init: RequestInit = {}): Promise<unknown> {
  return (await fetchFine(path, init)).json();
}

/** @throws Error with a readable message if the admin server does not answer, or refuses the request */
async function fetchFine(path: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, init);
  } catch {
    throw new Error('the admin server does not answer');
  }
  if (response.ok) return response;
  const { error } = (await response.json().catch(() => ({}))) as { error?: string };
  throw new AdminProblem(error ?? `the admin server answered with ${response.status}`, response.status);
}
