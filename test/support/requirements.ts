/**
 * What tests need beside Node and npm: conformance data, servers, a browser. A test that misses it says so and skips; under
 * `PORTCULLIS_REQUIRE_ALL=1`, which `.ci/run` sets, it fails instead.
 */
import { spawnSync } from 'node:child_process';
import type { TestContext } from 'node:test';

/** Whether nothing may be missing. */
const REQUIRES_ALL: boolean = process.env['PORTCULLIS_REQUIRE_ALL'] === '1';

/**
 * The `skip` of a test or suite that cannot run where something is missing.
 * @param lack what is missing, undefined where nothing is
 * @throws Error saying so where nothing may be missing: the whole file fails then
 */
export function skipWithout(lack: string | undefined): string | false {
  if (lack !== undefined && REQUIRES_ALL) throw new Error(`PORTCULLIS_REQUIRE_ALL is set, and ${lack}`);
  return lack ?? false;
}

/** The same inside of a test that runs already. @returns whether it is to end here */
export function skipsWithout(t: TestContext, lack: string | undefined): boolean {
  const skip = skipWithout(lack);
  if (skip !== false) t.skip(skip);
  return skip !== false;
}

/** What is missing where a program does not run on this machine. */
export function findProgramLack(program: string, ...args: readonly string[]): string | undefined {
  const { error } = spawnSync(program, args.length === 0 ? ['--version'] : args, { stdio: 'ignore' });
  return error === undefined ? undefined : `${program} is not installed (scripts/install-servers.sh)`;
}
