import type { Chain } from '../chain/chain.ts';
import { ChainError } from '../chain/errors.ts';
import type { Logger } from '../observe/logger.ts';
import { listSeen, recogniseFamily } from '../rollup/recognise-family.ts';
import type { FamilyRow } from '../rollup/rollup-family.ts';
import { findUnknownFunctions } from '../rollup/unknown-functions.ts';
import { Backoff } from '../util/backoff.ts';
import { RequestScope } from '../util/request-scope.ts';
import { ScopeWaiters } from '../util/scope-waiters.ts';

/** Time limit of one attempt, ms. */
const LIMIT_MS = 10_000;
/** Backoff between attempts, ms; the first head after an outage triggers an attempt immediately. */
const RETRY = { firstMs: 500, maxMs: 600_000 };

/** Recognised families by chain; they remain known after a reload. */
const RECOGNISED = new WeakMap<Chain, FamilyRow>();

export type RecognitionParts = {
  readonly network: string;
  readonly chain: Chain;
  readonly log: Logger;
};

/**
 * Recognises the family of a rollup, and retries until the chain's answers identify the family. Only the rollup's own methods wait for the
 * recognition.
 */
export class FamilyRecognition {
  readonly #parts: RecognitionParts;
  readonly #waiting = new ScopeWaiters();
  readonly #backoff = new Backoff(RETRY);
  readonly #stopWatching: () => void;
  #timer: NodeJS.Timeout | undefined;
  #scope: RequestScope | undefined;
  /** Reason why the last attempt failed. */
  #failure: ChainError | undefined;
  #logged = '';
  #isClosed = false;

  constructor(parts: RecognitionParts) {
    this.#parts = parts;
    // The first head after an outage triggers an attempt to recognise the family.
    this.#stopWatching = parts.chain.heads.watch(() => {
      if (this.#failure?.kind === 'unavailable' && this.#scope === undefined) void this.#try();
    });
    if (this.known === undefined) void this.#try();
  }

  /** Returns the family; undefined until it is recognised. */
  get known(): FamilyRow | undefined {
    return RECOGNISED.get(this.#parts.chain);
  }

  /**
   * Returns the family; waits for the first attempt to recognise it.
   * @throws ChainError with the reason why the family is unknown, and with what to configure
   */
  async find(scope: RequestScope): Promise<FamilyRow> {
    if (this.known === undefined && this.#failure === undefined) await this.#waiting.wait(scope);
    const { known } = this;
    if (known !== undefined) return known;
    throw this.#failure ?? explainUnknown('its nodes have not been examined yet');
  }

  close(): void {
    this.#isClosed = true;
    this.#stopWatching();
    clearTimeout(this.#timer);
    this.#scope?.abort();
    this.#waiting.wake();
  }

  async #try(): Promise<void> {
    clearTimeout(this.#timer);
    const { network, chain, log } = this.#parts;
    const scope = new RequestScope(performance.now() + LIMIT_MS);
    this.#scope = scope;
    try {
      const recognition = await recogniseFamily(chain, scope);
      const { row } = recognition;
      if (row === undefined) this.#failure = explainUnrecognised();
      else {
        RECOGNISED.set(chain, row);
        log.info({ network, family: row.name, evidence: listSeen(recognition) }, 'rollup family recognised');
        // Estimates do not wait for the check for an unknown fork.
        void noteUnknownFork(network, chain, row, scope, log);
      }
    } catch (error) {
      this.#failure = this.#explain(error);
    }
    this.#scope = undefined;
    if (this.#isClosed) return;
    this.#waiting.wake();
    if (this.known !== undefined) {
      this.#stopWatching();
      return;
    }
    this.#logOnce();
    this.#timer = setTimeout(() => void this.#try(), this.#backoff.next());
    this.#timer.unref();
  }

  #explain(error: unknown): ChainError {
    const { network, log } = this.#parts;
    if (!(error instanceof ChainError)) {
      log.error({ network, err: error }, 'rollup family cannot be recognised because of an internal error');
      return explainUnknown('it cannot be recognised');
    }
    // `misconfigured` means that the configuration of the network must be corrected.
    return error.kind === 'misconfigured' ? error : explainUnknown(error.message);
  }

  /** Logs one line per change of the reason. */
  #logOnce(): void {
    const { network, log } = this.#parts;
    const { message = '' } = this.#failure ?? {};
    if (message === this.#logged) return;
    this.#logged = message;
    log.warn({ network, reason: message }, 'rollup family unknown: estimates of the rollup are refused');
  }
}

/** Logs a warning if the family's pricing contract has functions of a fork that this version does not know. */
export async function noteUnknownFork(
  network: string,
  chain: Chain,
  { name, oracle }: FamilyRow,
  scope: RequestScope,
  log: Logger,
): Promise<void> {
  if (oracle === undefined) return;
  try {
    const functions = await findUnknownFunctions(chain, oracle, scope);
    if (functions.length === 0) return;
    log.warn(
      { network, family: name, oracle: oracle.address, functions },
      'the oracle of the rollup has functions that this version does not know: estimates use it as before; look for a newer version',
    );
  } catch (error) {
    log.debug({ network, err: error }, 'the gas oracle of the rollup could not be read');
  }
}

function explainUnrecognised(): ChainError {
  return new ChainError(
    'misconfigured',
    'the rollup family cannot be recognised from the answers of the nodes: set rollup.family',
  );
}

function explainUnknown(reason: string): ChainError {
  return new ChainError(
    'unavailable',
    `the rollup family is not known yet: ${reason}; set rollup.family to skip the recognition`,
  );
}
