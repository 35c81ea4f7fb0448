import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { request as requestSecurely } from 'node:https';
import type { Stage } from './stage.ts';

export type Asking = {
  readonly text: string | Uint8Array;
  readonly host: string;
  readonly key: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** After which there is no answer, milliseconds. */
  readonly timeLimit?: number;
};

/** Asks over a connection that is used for nothing else. @throws Error when there is no answer */
export async function askText(
  stage: Stage,
  { text, host, key, headers = {}, timeLimit = 30_000 }: Asking,
): Promise<{ readonly status: number; readonly text: string }> {
  const outgoing = (stage.isSecure ? requestSecurely : request)({
    method: 'POST',
    host: '127.0.0.1',
    port: stage.program.port,
    path: `/v3/${key}`,
    headers: { host, 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...headers },
    agent: false,
    rejectUnauthorized: false,
    signal: AbortSignal.timeout(timeLimit),
  }).end(text);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  let answer = '';
  for await (const chunk of response.setEncoding('latin1')) answer += chunk;
  return { status: response.statusCode ?? 0, text: answer };
}
