import { readdirSync, readFileSync } from 'node:fs';
import type { Verdict } from '../../../src/pool/errors/verdict.ts';
import type { NodeError } from '../../../src/pool/node-call.ts';

/** One error of one client, and its expected classification. */
export type ErrorCase = {
  readonly client: string;
  readonly version: string;
  readonly method: string;
  readonly situation: string;
  /** Source of the error's shape: a project and the place in it. */
  readonly source: string;
  /** Parameters of the request, where it can be repeated on the node. */
  readonly params?: readonly unknown[];
  readonly error: NodeError;
  readonly expect: Verdict;
};

type FixtureFile = {
  readonly client: string;
  readonly version: string;
  readonly cases: readonly Omit<ErrorCase, 'client' | 'version'>[];
};

/** Tests run as build/test/pool/errors/*.test.js; the fixtures stay with the sources. */
const FOLDER = new URL('../../../../test/pool/errors/fixtures/', import.meta.url);

/** Every case of every file, files in the order of their names. */
export function readCases(): ErrorCase[] {
  return readdirSync(FOLDER)
    .toSorted()
    .flatMap((name) => {
      const { client, version, cases } = JSON.parse(
        readFileSync(new URL(name, FOLDER), 'utf8'),
      ) as FixtureFile;
      return cases.map((item) => ({ client, version, ...item }));
    });
}
