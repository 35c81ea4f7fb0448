import { ChainError } from '../../chain/errors.ts';
import type { Logger } from '../../observe/logger.ts';
import type { VerificationFigures } from '../../observe/sources.ts';
import type { RecoverPublicKey } from '../../primitives/signature.ts';
import { RequestScope } from '../../util/request-scope.ts';
import { UpstreamFault } from '../fault.ts';
import type { BlockHeader } from '../heads/block.ts';
import type { VerifyMode } from '../options.ts';
import type { Ask, BlockPosition } from '../routed-call.ts';
import type { Upstream } from '../upstream.ts';
import { calibrate } from './calibrate.ts';
import { Proofs } from './proofs.ts';
import { Verifier } from './verifier.ts';

/** How long looking at recent blocks may take; and how long afterwards it is tried again where no node answered. */
const CALIBRATE_LIMIT_MS = 10_000;
const RETRY_MS = 5_000;
/** When recent blocks are looked at again where something did not recompute: the node may have been at fault. Twice as long each time. */
const FIRST_RECHECK_MS = 60_000;
const MAX_RECHECK_MS = 3_600_000;
const ANCHORS = 2;

export type VerificationParts = {
  readonly network: string;
  readonly verify: VerifyMode;
  readonly log: Logger;
  readonly ask: Ask;
  readonly upstreams: readonly Upstream[];
  readonly recoverPublicKey: RecoverPublicKey;
  readonly condemn: (upstream: Upstream, evidence: string) => void;
  readonly head: () => BlockHeader | undefined;
  /** Whether two nodes have told the hash of an old height. */
  readonly isWitnessed: (hash: string) => boolean;
};

/** Verification of a network, and what keeps it going. */
export type Verification = {
  readonly proofs: Proofs;
  /** Finds out what can be verified. Never rejects; goes on in the background where no node answers now. */
  calibrate(): Promise<void>;
  /** The network is another chain from now on. */
  forgetChain(): void;
  describe(): { readonly verification?: VerificationFigures };
  close(): void;
};

export function openVerification(parts: VerificationParts): Verification {
  const { verify, upstreams, isWitnessed, network, log, ask, head } = parts;
  const verifier = verify === 'off' ? undefined : new Verifier({ ...parts, mode: verify });
  const scopes = new Set<RequestScope>();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let recheckMs = FIRST_RECHECK_MS;
  let known = '';
  const tryAgain = (afterMs: number = RETRY_MS): void => {
    if (isClosed) return;
    clearTimeout(timer);
    timer = setTimeout(() => void run(), afterMs);
    timer.unref();
  };
  const recheck = (): void => {
    tryAgain(recheckMs);
    recheckMs = Math.min(2 * recheckMs, MAX_RECHECK_MS);
  };
  const run = async (): Promise<void> => {
    const at = head();
    if (verifier === undefined || isClosed) return;
    if (at === undefined) return tryAgain();
    const scope = new RequestScope(performance.now() + CALIBRATE_LIMIT_MS);
    scopes.add(scope);
    try {
      await calibrate({ verifier, ask, head: at.number, scope });
    } catch (error) {
      if (!(error instanceof UpstreamFault || error instanceof ChainError)) throw error;
    } finally {
      scopes.delete(scope);
    }
    if (!verifier.calibration.isDone) return tryAgain();
    const rows = verifier.calibration.describe();
    if (rows.some(({ state }) => state === 'unverifiable')) recheck();
    const fields = Object.fromEntries(rows.map(({ subject, state }) => [subject, state]));
    const told = JSON.stringify(fields);
    if (told === known) return;
    known = told;
    log.info({ network, ...fields }, 'it is known what of this network can be verified');
  };
  const proofs = new Proofs(
    verifier,
    (position) => isAnchored(position, upstreams) || isWitnessed(position.hash ?? ''),
  );
  return {
    proofs,
    calibrate: run,
    forgetChain() {
      verifier?.calibration.reset();
      recheckMs = FIRST_RECHECK_MS;
      known = '';
      void run();
    },
    describe: () =>
      verifier === undefined
        ? {}
        : {
            verification: {
              rows: verifier.calibration.describe(),
              counts: verifier.counts,
              trust: proofs.trust.counts,
            },
          },
    close() {
      isClosed = true;
      clearTimeout(timer);
      for (const scope of scopes) scope.abort();
    },
  };
}

/** More than one node reports the hash at its height. */
function isAnchored({ number, hash }: BlockPosition, upstreams: readonly Upstream[]): boolean {
  let count = 0;
  for (const { isUp, isOnFork, tracker } of upstreams) {
    if (isUp && !isOnFork && tracker.hashAt(number) === hash) count++;
    if (count >= ANCHORS) return true;
  }
  return false;
}
