import { spawnSync } from 'node:child_process';

/** Result of promtool. */
export type Verdict = { readonly isFine: boolean; readonly text: string };

/** Runs Prometheus' own checker; undefined where it is not installed. */
export function runPromtool(args: readonly string[], input = ''): Verdict | undefined {
  const { error, status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' });
  if (error !== undefined) return undefined;
  return { isFine: status === 0, text: `${stdout}${stderr}` };
}

export const NO_PROMTOOL = 'promtool is not installed: this is not checked';
