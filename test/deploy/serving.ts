/** Starts the program like a package does, with other addresses. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { MAIN } from '../../scripts/program-files.ts';

export type Serving = {
  readonly port: number;
  /** Port of the admin server. */
  readonly admin: number;
  /** Resolves when a log line has the text. */
  waitForLine(text: string): Promise<void>;
};

/** Listens on ports that the system picks; addresses in the file have to be loopback. Ends with the test. */
export async function serve(
  t: TestContext,
  file: string,
  environment: Readonly<Record<string, string>>,
): Promise<Serving> {
  const ports = { PORTCULLIS_HOST: '127.0.0.1', PORTCULLIS_PORT: '0', PORTCULLIS_ADMIN_PORT: '0' };
  const child = spawn(process.execPath, [MAIN, 'serve', '--config', file], {
    env: { PATH: process.env['PATH'], ...ports, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, log] = [collect(child, 'stdout'), collect(child, 'stderr')];
  const exited = once(child, 'exit');
  t.after(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const wait = async (output: Collected, pattern: RegExp): Promise<string> => {
    for (;;) {
      const found = pattern.exec(output.text)?.[1];
      if (found !== undefined) return found;
      if (child.exitCode !== null) throw new Error(`it ended: ${out.text}${log.text}`);
      await Promise.race([output.more(), exited]);
    }
  };
  const quote = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return {
    port: Number(await wait(out, /listens on \S+:(\d+)\n/)),
    admin: Number(await wait(out, /Status: +http:\S+?:(\d+)\/status\n/)),
    waitForLine: async (text) => void (await wait(log, new RegExp(`(${quote(text)})`))),
  };
}

type Collected = { readonly text: string; more(): Promise<unknown> };

function collect(child: ChildProcess, name: 'stdout' | 'stderr'): Collected {
  const stream = child[name] as NodeJS.ReadableStream;
  let text = '';
  stream.on('data', (chunk) => {
    text += chunk;
  });
  return {
    get text() {
      return text;
    },
    more: () => once(stream, 'data'),
  };
}
