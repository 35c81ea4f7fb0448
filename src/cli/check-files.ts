import type { Problem } from '../config/check-config.ts';
import type { Config } from '../config/config.ts';
import { readTlsPair } from '../server/tls-files.ts';
import { readRules } from '../service/read-rules.ts';
import { checkLmdbFile, hasLmdbFile } from '../util/lmdb-folder.ts';
import { readRegularFile } from '../util/read-file.ts';
import { describeSystemError } from '../util/system-error.ts';

/** Checks the files that a configuration names and that a service would read. */
export function checkFiles({ listen, networks, access }: Config): Problem[] {
  const problems: Problem[] = [];
  const check = (path: readonly string[], look: () => void): void => {
    try {
      look();
    } catch (error) {
      problems.push({ path, message: describeSystemError(error) });
    }
  };
  if (listen.tls !== undefined) problems.push(...checkTls(listen.tls));
  for (const [name, { chain, embedded }] of Object.entries(networks)) {
    if (chain !== undefined) check(['networks', name, 'chain'], () => readRules(chain));
    if (embedded === undefined) continue;
    check(['networks', name, 'embedded', 'data'], () => {
      checkLmdbFile(embedded.data);
      if (!hasLmdbFile(embedded.data)) {
        throw new Error(`there is no chain store in ${embedded.data}: import a chain into it first`);
      }
    });
  }
  for (const [name, { jwks }] of Object.entries(access.jwt)) {
    if (/^https?:\/\//.test(jwks)) continue;
    check(['access', 'jwt', name, 'jwks'], () => readRegularFile(jwks));
  }
  return problems;
}

function checkTls(files: { readonly cert: string; readonly key: string }): Problem[] {
  try {
    readTlsPair(files);
    return [];
  } catch (error) {
    // The message of `readTlsPair` begins with the name of the option.
    const [, option = '', message] = /^listen\.tls\.(cert|key): (.*)$/s.exec((error as Error).message) ?? [];
    if (message === undefined) throw error;
    return [{ path: ['listen', 'tls', option], message, dependsOn: [['listen', 'tls']] }];
  }
}
