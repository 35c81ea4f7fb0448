import type { RecoverPublicKey } from '../../../../packages/ethereum/primitives/signature.ts';
import { ChainError } from '../../../chain/errors.ts';
import type { AnchoredChain } from '../../../chain/output-claim.ts';
import type { Logger } from '../../../observe/logger.ts';
import type { VerificationFigures } from '../../../observe/sources.ts';
import { type Refutation, UpstreamFault } from '../../../pool/fault.ts';
import type { BlockHeader } from '../../../pool/heads/block.ts';
import type { Checkpoint, VerifyMode } from '../../../pool/options.ts';
import type { Upstream } from '../../../pool/upstream.ts';
import type { BlockPosition, Send } from '../../../pool/upstream-request.ts';
import { RequestScope } from '../../../util/request-scope.ts';
import { AgreedLinks } from '../agreement/agreed-links.ts';
import type { Agreement } from '../agreement/agreement.ts';
import { calibrate } from './calibrate.ts';
import { CheckpointLinks } from './checkpoint-links.ts';
import { findForks } from './find-forks.ts';
import { HeaderMembers } from './header-members.ts';
import { Layer1Anchor } from './layer1-anchor.ts';
import { Proofs } from './proofs.ts';
import type { Anchor } from './trust.ts';
import { Verifier } from './verifier.ts';

/** Time limit of one calibration, and the first retry delay after one in which no node answered; the delay doubles up to `LOOK_MS`. Milliseconds. */
const CALIBRATE_LIMIT_MS = 10_000;
const RETRY_MS = 5_000;
/**
 * Interval between checks of the head's header for new members; also the minimum interval between calibrations that are triggered by failed answers.
 */
const LOOK_MS = 60_000;
/** First and longest delay before an unverifiable subject is tried again; the delay doubles each time. Milliseconds. */
const FIRST_REPEAT_MS = 180_000;
const MAX_REPEAT_MS = 3_600_000;
const CONFIRMATIONS = 2;
/** Cap on the blocks with failed answers that are examined in one search. */
const MAX_CONTRADICTED = 16;

export type VerificationParts = {
  readonly network: string;
  readonly verify: VerifyMode;
  readonly checkpoint?: Checkpoint | undefined;
  /** True if output roots on layer 1 anchor blocks of the chain; excludes a checkpoint. */
  readonly isAnchored?: boolean;
  readonly log: Logger;
  readonly ask: Send;
  readonly upstreams: readonly Upstream[];
  readonly recoverPublicKey: RecoverPublicKey;
  readonly refute: (upstream: Upstream, evidence: string) => void;
  readonly head: () => BlockHeader | undefined;
  /** Agreement of the operators that must have a block, if configured; otherwise two nodes must have it. */
  readonly agreement?: Agreement | undefined;
  /** Returns whether two nodes have reported the hash of an old height. */
  readonly isConfirmed: (hash: string) => boolean;
  /** Interval between checks of the head's header, milliseconds. */
  readonly lookMs?: number;
};

/** Verification of a network, with its background tasks. */
export type Verification = {
  readonly proofs: Proofs;
  /** The checkpoint or the layer 1 anchor if one is configured. */
  readonly anchor: Anchor | undefined;
  /** Hashes of older heights from the state of an agreed head; absent without agreement. */
  readonly agreed: AgreedLinks | undefined;
  /** Receives output roots if layer 1 is read. */
  readonly layer1: AnchoredChain | undefined;
  /** Determines what can be verified. Never rejects; continues in the background if no node answers now. */
  calibrate(): Promise<void>;
  /** Calls `Verifier.acceptRules`; undefined if verification is off. */
  acceptRules(refutation: Refutation, block: BlockPosition | undefined): ReadonlySet<Upstream> | undefined;
  /** Restarts calibration; called when the network becomes another chain. */
  forgetChain(): void;
  describe(): { readonly verification?: VerificationFigures };
  close(): void;
};

/** Opens the verification of a network; no request is sent before `calibrate` or `forgetChain`. */
export function openVerification(parts: VerificationParts): Verification {
  const { verify, upstreams, agreement, isConfirmed, network, log, ask, head, lookMs = LOOK_MS } = parts;
  let isUncertain = false;
  const contradicted = new Set<bigint>();
  const onUnlinked = (number: bigint | undefined): void => {
    isUncertain = true;
    if (number !== undefined && number > 0n && contradicted.size < MAX_CONTRADICTED) contradicted.add(number);
  };
  const isAnchored = (number: bigint, hash: string): boolean => anchor?.links?.hashAt(number) === hash;
  const verifier =
    verify === 'off' ? undefined : new Verifier({ ...parts, mode: verify, onUnlinked, isAnchored });
  const layer1 =
    verifier === undefined || parts.isAnchored !== true
      ? undefined
      : new Layer1Anchor({ ...parts, verifier });
  const anchor: Anchor | undefined = layer1 ?? openCheckpoint(parts, verifier);
  const agreed =
    agreement === undefined || verifier === undefined
      ? undefined
      : new AgreedLinks({
          verifier,
          ask,
          findHeader: (hash) => proofs.blocks?.findHeader(hash),
          agreedHead: () => agreement.agreedHead,
        });
  const scopes = new Set<RequestScope>();
  const members = new HeaderMembers(ask);
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let repeatMs = FIRST_REPEAT_MS * (lookMs / LOOK_MS);
  let repeatAt = Number.POSITIVE_INFINITY;
  let retryMs = RETRY_MS;
  let known = '';
  const later = (ms: number, task: () => Promise<void>): void => {
    if (isClosed) return;
    clearTimeout(timer);
    timer = setTimeout(() => void task(), ms);
    timer.unref();
  };
  /** @returns undefined if no node answered in time */
  const attempt = async <T>(
    work: (at: bigint, scope: RequestScope) => Promise<T>,
  ): Promise<T | undefined> => {
    const at = head();
    if (at === undefined || isClosed) return undefined;
    const scope = new RequestScope(performance.now() + CALIBRATE_LIMIT_MS);
    scopes.add(scope);
    try {
      return await work(at.number, scope);
    } catch (error) {
      // This runs in the background without a caller, where a thrown error would end the process.
      if (!(error instanceof UpstreamFault || error instanceof ChainError))
        log.error({ network, err: error }, 'recent blocks cannot be examined because of an internal error');
      return undefined;
    } finally {
      scopes.delete(scope);
    }
  };
  const run = async (): Promise<void> => {
    if (verifier === undefined) return;
    isUncertain = false;
    repeatAt = Number.POSITIVE_INFINITY;
    await attempt((at, scope) => calibrate({ verifier, ask, head: at, scope }));
    if (!verifier.calibration.isDone) {
      later(retryMs, run);
      // If there is no head, no request was sent.
      if (head() !== undefined) retryMs = Math.min(2 * retryMs, LOOK_MS);
      return;
    }
    retryMs = RETRY_MS;
    if (verifier.calibration.isPartial || contradicted.size > 0) await search(verifier);
    report(verifier);
    later(lookMs, look);
  };
  const search = async (verifier: Verifier): Promise<void> => {
    const blocks = [...contradicted];
    contradicted.clear();
    const isAlone = upstreams.filter(({ isUp }) => isUp).length <= 1;
    const isFound = await attempt((_, scope) =>
      findForks({ verifier, ask, scope, contradicted: blocks, isAlone }),
    );
    if (isFound !== true) isUncertain = true;
  };
  /** Looks for a fork, which shows as new header members or as failed answers. */
  const look = async (): Promise<void> => {
    await linkHead();
    const isNew = await attempt((at, scope) => members.hasNew(at, scope));
    if (verifier?.calibration.isPartial === true && repeatAt === Number.POSITIVE_INFINITY) {
      repeatAt = performance.now() + repeatMs;
      repeatMs = Math.min(2 * repeatMs, MAX_REPEAT_MS);
    }
    if (isNew === true || isUncertain || performance.now() >= repeatAt) await run();
    else later(lookMs, look);
  };
  /** Links the head periodically, so that requested blocks are never far above a linked one. */
  const linkHead = async (): Promise<void> => {
    const at = head();
    if (at !== undefined) await anchor?.links?.link(at);
  };
  const report = ({ calibration }: Verifier): void => {
    const fields = Object.fromEntries(
      calibration
        .describe()
        .map(({ subject, state, from, until }) => [
          subject,
          [
            state,
            ...(from === undefined ? [] : [`from block ${from} on`]),
            ...(until === undefined ? [] : [`except some blocks up to ${until}`]),
          ].join(' '),
        ]),
    );
    if (JSON.stringify(fields) === known) return;
    known = JSON.stringify(fields);
    log.info({ network, ...fields }, 'verification calibrated');
  };
  const proofs = new Proofs(
    verifier,
    (position) =>
      (agreement?.voices.has(position) ?? isAgreed(position, upstreams)) ||
      agreed?.has(position) === true ||
      isConfirmed(position.hash ?? ''),
    anchor,
    agreement,
  );
  return {
    proofs,
    anchor,
    agreed,
    layer1,
    async calibrate() {
      if (verifier === undefined) return;
      await attempt((at, scope) => members.hasNew(at, scope));
      await run();
      // Not awaited, since answers that need the link wait for it themselves.
      void linkHead();
    },
    acceptRules: (refutation, block) => verifier?.acceptRules(refutation, block),
    forgetChain() {
      verifier?.calibration.reset();
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
              ...(layer1 !== undefined && { anchor: layer1.describe() }),
            },
          },
    close() {
      isClosed = true;
      clearTimeout(timer);
      for (const scope of scopes) scope.abort();
    },
  };
}

function openCheckpoint(
  { checkpoint, ask }: VerificationParts,
  verifier: Verifier | undefined,
): Anchor | undefined {
  if (verifier === undefined || checkpoint === undefined) return undefined;
  return { links: new CheckpointLinks(checkpoint, verifier, ask) };
}

/** Returns whether two nodes report the hash: at its height, or as their safe, finalized or genesis block. */
function isAgreed({ number, hash }: BlockPosition, upstreams: readonly Upstream[]): boolean {
  let count = 0;
  for (const { isUp, isOnFork, tracker, identity } of upstreams) {
    if (!isUp || isOnFork || hash === undefined) continue;
    const { safe, finalized } = tracker;
    if (
      tracker.hashAt(number) === hash ||
      [safe?.hash, finalized?.hash, identity?.genesisHash].includes(hash)
    )
      count++;
    if (count >= CONFIRMATIONS) return true;
  }
  return false;
}
