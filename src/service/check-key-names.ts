import type { NameCheck } from '../access/keys/key-book.ts';
import type { Config } from '../config/config.ts';

/**
 * Creates the check of the networks, methods and token issuers that settings of a key name.
 * @param findConfig returns the configuration whose names are known; undefined for the built-in networks
 */
export function createNameCheck(findConfig: () => Config | undefined): NameCheck {
  return async (settings) => {
    const { networks, methods, jwt } = settings;
    if (networks === undefined && methods === undefined && jwt === undefined) return;
    // Loaded on demand, because the method table takes 50 ms to load.
    const { checkNames, listBuiltinNames, listKnownNames } = await import('./known-names.ts');
    const config = findConfig();
    checkNames(settings, config === undefined ? listBuiltinNames() : listKnownNames(config));
  };
}
