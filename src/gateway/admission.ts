import type { KeyVerifier, Principal } from '../access/api-keys.ts';
import type { Logger } from '../observe/logger.ts';
import { continueWith, type Eventual, recoverWith } from '../primitives/eventual.ts';
import type { TextAnswer } from './answer.ts';
import { logFault } from './call-errors.ts';
import type { Network } from './network.ts';
import type { NetworkRegistry } from './network-registry.ts';
import { createRefusal } from './refusals.ts';
import type { Visitor } from './visitor.ts';

/** Who asks, and what: fixed for a request, or for the life of a WebSocket. */
export type Session = { readonly network: Network; readonly principal: Principal };

export type Refusal = { readonly refused: TextAnswer };

const DEMO_KEY = 'demo';
const DEMO_PRINCIPAL: Principal = { id: 'demo', name: 'demo' };

const UNKNOWN_HOST: Refusal = { refused: createRefusal('unknownHost') };
const MISSING_KEY: Refusal = { refused: createRefusal('missingKey') };
const UNKNOWN_KEY: Refusal = { refused: createRefusal('unknownKey') };
const KEYS_UNAVAILABLE: Refusal = { refused: createRefusal('keysUnavailable') };

/** Decides before anything of a body is read. Never throws or rejects. */
export function admit(
  { host, key }: Visitor,
  networks: NetworkRegistry,
  keys: KeyVerifier,
  log: Logger,
): Eventual<Session | Refusal> {
  const network = networks.find(host);
  if (network === undefined) return UNKNOWN_HOST;
  if (key === undefined || key === '') return MISSING_KEY;
  if (key === DEMO_KEY) return network.allowsDemoKey ? { network, principal: DEMO_PRINCIPAL } : UNKNOWN_KEY;
  return recoverWith<Session | Refusal>(
    () =>
      continueWith(keys.verify(key), (principal) =>
        principal === undefined ? UNKNOWN_KEY : { network, principal },
      ),
    (error) => {
      logFault(log, error, { network: network.name });
      return KEYS_UNAVAILABLE;
    },
  );
}
