import { continueWith, type PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import { checkCredentials } from '../access/credentials.ts';
import { KeysUnreadableError } from '../access/keys/key-table.ts';
import type { KnownCredentials } from '../access/known-credentials.ts';
import type { Denial } from '../access/limits/account.ts';
import type { Limiter } from '../access/limits/limiter.ts';
import type { KeyVerifier, Principal, Terms } from '../access/principal.ts';
import type { TokenVerifier } from '../access/tokens.ts';
import { authorizeClient, type ClientFacts, type DevelopmentAccess } from '../methods/development-access.ts';
import type { Network } from '../methods/network.ts';
import type { Logger } from '../observe/logger.ts';
import type { OtherError } from '../rpc/errors.ts';
import type { TextAnswer } from './answer.ts';
import { logFault } from './call-errors.ts';
import { createLimitError } from './limit-error.ts';
import type { NetworkRegistry } from './network-registry.ts';
import { createRefusal, refuseWith } from './refusals.ts';
import type { Visitor } from './visitor.ts';

/** Network and principal (the owner of the key) of an HTTP request, or of a WebSocket while it is open. */
export type Session = {
  readonly network: Network;
  readonly principal: Principal;
  /** Name that the client chose for a series of requests. */
  readonly name?: string;
  /** Set if each result must report its trust level (`Trust`). */
  readonly showsTrust?: true;
  /** Client facts that determine `development`; present only on networks that serve the methods of a development node. */
  readonly client?: ClientFacts;
  /** Access to the methods of a development node; undefined if the client may call none of them. */
  readonly development?: DevelopmentAccess;
};

export type Refusal = {
  readonly refused: TextAnswer;
  /** Present if the key of the refused request is known. The answer may then have the id of the request (`echoRefusal`). */
  readonly error?: OtherError;
};

/** Services that `admit` uses. */
export type AdmissionParts = {
  readonly keys: KeyVerifier;
  readonly tokens: TokenVerifier;
  readonly credentials: KnownCredentials;
  readonly limiter: Limiter;
};

const DEMO_KEY = 'demo';
const DEMO_PRINCIPAL: Principal = { id: 'demo', name: 'demo' };

const refusal = (name: OtherError): Refusal => ({ refused: createRefusal(name) });
const UNKNOWN_HOST = refusal('unknownHost');
const UNKNOWN_NETWORK = refusal('unknownNetwork');
const MISSING_KEY = refusal('missingKey');
const UNKNOWN_KEY = refusal('unknownKey');
const KEYS_UNAVAILABLE = refusal('keysUnavailable');
const REJECTED: Refusal = { ...refusal('rejected'), error: 'rejected' };
const WRONG_CREDENTIALS = { wrongSecret: refusal('wrongSecret'), invalidToken: refusal('invalidToken') };

/** Admits or refuses a request before any of its body is read. Never throws or rejects. */
export function admit(
  visitor: Visitor,
  networks: NetworkRegistry,
  access: AdmissionParts,
  log: Logger,
): PromiseOrValue<Session | Refusal> {
  const { host, network: name, key, address } = visitor;
  const network = name === undefined ? networks.find(host) : networks.get(name);
  if (network === undefined) return name === undefined ? UNKNOWN_HOST : UNKNOWN_NETWORK;
  if (key === undefined || key === '') return MISSING_KEY;
  if (key === DEMO_KEY) {
    if (!network.allowsDemoKey) return UNKNOWN_KEY;
    // By DNS rebinding, a web page can point its own host name to this machine, and could then use the demo key.
    if (name !== undefined && !networks.expects(host)) return UNKNOWN_HOST;
    return openSession(network, DEMO_PRINCIPAL, visitor);
  }
  const block = access.limiter.findBlock(address);
  if (block !== undefined && !access.keys.isKnown(key)) return refuseGuesses(block);
  try {
    const verified = access.keys.verify(key);
    const outcome =
      verified instanceof Promise
        ? verified.then((principal) => admitPrincipal(principal, network, visitor, access, block))
        : admitPrincipal(verified, network, visitor, access, block);
    return outcome instanceof Promise ? outcome.catch((error) => reportFault(error, network, log)) : outcome;
  } catch (error) {
    return reportFault(error, network, log);
  }
}

/** Logs why the check of a key failed, unless the log has it already that the key store is away, and refuses the request as unverifiable for now. */
function reportFault(error: unknown, { name }: Network, log: Logger): Refusal {
  if (!(error instanceof KeysUnreadableError)) logFault(log, error, { network: name });
  return KEYS_UNAVAILABLE;
}

function refuseGuesses(block: Denial): Refusal {
  return { refused: refuseWith('null', createLimitError(['tooManyFailures', 'address.failures'], block)) };
}

/**
 * Checks whether the key exists, whether its rules admit this request, and whether the credentials are valid.
 * @param block set after too many authorization failures of the client address: then only cached credentials are accepted
 */
function admitPrincipal(
  principal: Principal | undefined,
  network: Network,
  visitor: Visitor,
  access: AdmissionParts,
  block: Denial | undefined,
): PromiseOrValue<Session | Refusal> {
  if (principal === undefined) {
    if (visitor.wasAdmitted !== true) access.limiter.countFailure(visitor.address);
    return UNKNOWN_KEY;
  }
  const { terms } = principal;
  if (terms === undefined) return openSession(network, principal, visitor);
  const isPlace = terms.rules?.admits({
    network: network.name,
    origin: visitor.origin,
    userAgent: visitor.userAgent,
  });
  const session = isPlace === false ? REJECTED : openSession(network, principal, visitor);
  if (terms.secretHash === undefined && terms.jwt === undefined) return session;
  return admitCredentials(principal, terms, session, visitor, access, block);
}

/** @returns `session` if the credentials are valid */
function admitCredentials(
  principal: Principal,
  terms: Terms,
  session: Session | Refusal,
  { authorization, address, wasAdmitted }: Visitor,
  { tokens, limiter, credentials }: AdmissionParts,
  block: Denial | undefined,
): PromiseOrValue<Session | Refusal> {
  if (block !== undefined && !credentials.has(principal, authorization)) return refuseGuesses(block);
  return continueWith(checkCredentials(terms, authorization, tokens), (problem) => {
    if (problem === undefined) {
      credentials.remember(principal, authorization);
      return session;
    }
    if (wasAdmitted !== true) limiter.countFailure(address);
    return WRONG_CREDENTIALS[problem];
  });
}

/** Owner of the calls that a program makes to a gateway in its own process. */
const PROGRAM_PRINCIPAL: Principal = { id: 'program', name: 'program' };

/** Admits the program that embeds the service to a network. The program needs no key, and has no rules and no limits of rate. */
export function admitProgram(name: string, networks: NetworkRegistry): Session | Refusal {
  const network = networks.get(name);
  if (network === undefined) return UNKNOWN_NETWORK;
  const client = { address: '127.0.0.1', origin: undefined, isForwarded: false };
  return { network, principal: PROGRAM_PRINCIPAL, ...classify(network, PROGRAM_PRINCIPAL, client) };
}

/** Returns the session with the current network of the same name, which a reload of the configuration may have replaced. */
export function renew(session: Session, networks: NetworkRegistry): Session | Refusal {
  const network = networks.get(session.network.name);
  if (network === session.network) return session;
  if (network === undefined) return UNKNOWN_NETWORK;
  const { client, development: _, ...cached } = session;
  return client === undefined || network.development === undefined
    ? { ...cached, network }
    : { ...cached, network, ...classify(network, session.principal, client) };
}

function openSession(network: Network, principal: Principal, visitor: Visitor): Session {
  if (network.development === undefined) return { network, principal };
  const { address, origin, isForwarded = false } = visitor;
  return { network, principal, ...classify(network, principal, { address, origin, isForwarded }) };
}

/** Returns the client facts, and whether the client may call methods of a development node. */
function classify(
  { development: rule }: Network,
  { terms }: Principal,
  client: ClientFacts,
): Pick<Session, 'client' | 'development'> {
  return rule === undefined ? {} : { client, development: authorizeClient(rule, client, terms?.rules) };
}
