import { checkCredentials } from '../access/credentials.ts';
import type { KnownCredentials } from '../access/known-credentials.ts';
import type { Denial } from '../access/limits/account.ts';
import type { Limiter } from '../access/limits/limiter.ts';
import type { KeyVerifier, Principal } from '../access/principal.ts';
import type { TokenVerifier } from '../access/tokens.ts';
import type { Network } from '../methods/network.ts';
import type { Logger } from '../observe/logger.ts';
import { continueWith, type PromiseOrValue, recoverWith } from '../primitives/promise-or-value.ts';
import type { ErrorName } from '../rpc/errors.ts';
import type { TextAnswer } from './answer.ts';
import { logFault } from './call-errors.ts';
import { createLimitError } from './limit-error.ts';
import type { NetworkRegistry } from './network-registry.ts';
import { createRefusal, refuseWith } from './refusals.ts';
import type { Visitor } from './visitor.ts';

/** The principal and the network: fixed for a request, or for the life of a WebSocket. */
export type Session = {
  readonly network: Network;
  readonly principal: Principal;
  /** Of a client that has named one. */
  readonly name?: string;
  /** Each result is to say how far it is to be believed. */
  readonly showsTrust?: true;
};

export type Refusal = {
  readonly refused: TextAnswer;
  /** Given where the key is a known one: the request's id may be echoed (`echoRefusal`). */
  readonly error?: ErrorName;
};

/** Decides which requests are admitted. */
export type Access = {
  readonly keys: KeyVerifier;
  readonly tokens: TokenVerifier;
  readonly credentials: KnownCredentials;
  readonly limiter: Limiter;
};

const DEMO_KEY = 'demo';
const DEMO_PRINCIPAL: Principal = { id: 'demo', name: 'demo' };

const refusal = (name: ErrorName): Refusal => ({ refused: createRefusal(name) });
const UNKNOWN_HOST = refusal('unknownHost');
const UNKNOWN_NETWORK = refusal('unknownNetwork');
const MISSING_KEY = refusal('missingKey');
const UNKNOWN_KEY = refusal('unknownKey');
const KEYS_UNAVAILABLE = refusal('keysUnavailable');
const REJECTED: Refusal = { ...refusal('rejected'), error: 'rejected' };
const WRONG_CREDENTIALS = { wrongSecret: refusal('wrongSecret'), invalidToken: refusal('invalidToken') };

/** Decides before anything of a body is read. Never throws or rejects. */
export function admit(
  visitor: Visitor,
  networks: NetworkRegistry,
  access: Access,
  log: Logger,
): PromiseOrValue<Session | Refusal> {
  const { host, network: name, key, address } = visitor;
  const network = name === undefined ? networks.find(host) : networks.get(name);
  if (network === undefined) return name === undefined ? UNKNOWN_HOST : UNKNOWN_NETWORK;
  if (key === undefined || key === '') return MISSING_KEY;
  if (key === DEMO_KEY) {
    if (!network.allowsDemoKey) return UNKNOWN_KEY;
    // A page that leads its own name to this machine (DNS rebinding) knows this key too.
    if (name !== undefined && !networks.expects(host)) return UNKNOWN_HOST;
    return { network, principal: DEMO_PRINCIPAL };
  }
  const block = access.limiter.findBlock(address);
  if (block !== undefined && !access.keys.isKnown(key)) return refuseGuesses(block);
  return recoverWith<Session | Refusal>(
    () =>
      continueWith(access.keys.verify(key), (principal) => {
        if (principal !== undefined) return admitPrincipal(principal, network, visitor, access, block);
        if (visitor.wasAdmitted !== true) access.limiter.countFailure(address);
        return UNKNOWN_KEY;
      }),
    (error) => {
      logFault(log, error, { network: network.name });
      return KEYS_UNAVAILABLE;
    },
  );
}

function refuseGuesses(block: Denial): Refusal {
  return { refused: refuseWith('null', createLimitError('tooManyFailures', block)) };
}

/**
 * Whether this place and these credentials are what the key asks for.
 * @param block why nothing that is not known may be tried from this address
 */
function admitPrincipal(
  principal: Principal,
  network: Network,
  visitor: Visitor,
  { tokens, limiter, credentials }: Access,
  block: Denial | undefined,
): PromiseOrValue<Session | Refusal> {
  const { terms } = principal;
  if (terms === undefined) return { network, principal };
  const { origin, userAgent, authorization, address } = visitor;
  const asks = terms.secretHash !== undefined || terms.jwt !== undefined;
  if (asks && block !== undefined && !credentials.has(principal, authorization)) return refuseGuesses(block);
  return continueWith(checkCredentials(terms, authorization, tokens), (problem) => {
    if (problem !== undefined) {
      if (visitor.wasAdmitted !== true) limiter.countFailure(address);
      return WRONG_CREDENTIALS[problem];
    }
    if (asks) credentials.remember(principal, authorization);
    const isAdmitted = terms.rules?.admits({ network: network.name, origin, userAgent }) ?? true;
    return isAdmitted ? { network, principal } : REJECTED;
  });
}

/** The same key on the network that has the name now. */
export function renew(session: Session, networks: NetworkRegistry): Session | Refusal {
  const network = networks.get(session.network.name);
  if (network === session.network) return session;
  return network === undefined ? UNKNOWN_NETWORK : { ...session, network };
}
