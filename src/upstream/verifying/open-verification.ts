import { ChainError } from '../../chain/errors.ts';
import type { AnchoredChain } from '../../chain/output-claim.ts';
import type { Logger } from '../../observe/logger.ts';
import type { VerificationFigures } from '../../observe/sources.ts';
import type { RecoverPublicKey } from '../../primitives/signature.ts';
import { RequestScope } from '../../util/request-scope.ts';
import { AgreedLinks } from '../agreement/agreed-links.ts';
import type { Agreement } from '../agreement/agreement.ts';
import { type Refutation, UpstreamFault } from '../fault.ts';
import type { BlockHeader } from '../heads/block.ts';
import type { Checkpoint, VerifyMode } from '../options.ts';
import type { Ask, BlockPosition } from '../routed-call.ts';
import type { Upstream } from '../upstream.ts';
import { calibrate } from './calibrate.ts';
import { CheckpointLinks } from './checkpoint-links.ts';
import { findForks } from './find-forks.ts';
import { HeaderMembers } from './header-members.ts';
import { Layer1Anchor } from './layer1-anchor.ts';
import { Proofs } from './proofs.ts';
import type { Anchor } from './trust.ts';
import { Verifier } from './verifier.ts';

/** How long looking at recent blocks may take; and how long afterwards it is tried again where no node answered, twice as long each time up to `LOOK_MS`. */
const CALIBRATE_LIMIT_MS = 10_000;
const RETRY_MS = 5_000;
/** How often it is looked whether the head's header has members that none had before, and at most how often calls bring about a calibration. */
const LOOK_MS = 60_000;
/** How long after something was given up it is tried again: twice as long each time. */
const FIRST_REPEAT_MS = 180_000;
const MAX_REPEAT_MS = 3_600_000;
const WITNESSES = 2;
/** Blocks of which answers failed that are looked at together. */
const MAX_DOUBTED = 16;

export type VerificationParts = {
  readonly network: string;
  readonly verify: VerifyMode;
  readonly checkpoint?: Checkpoint | undefined;
  /** Whether layer 1 is read for blocks that are on the chain; in place of a checkpoint. */
  readonly isAnchored?: boolean;
  readonly log: Logger;
  readonly ask: Ask;
  readonly upstreams: readonly Upstream[];
  readonly recoverPublicKey: RecoverPublicKey;
  readonly condemn: (upstream: Upstream, evidence: string) => void;
  readonly head: () => BlockHeader | undefined;
  /** Who has to have a block, where that is configured; otherwise two nodes. */
  readonly agreement?: Agreement | undefined;
  /** Whether two nodes have told the hash of an old height. */
  readonly isWitnessed: (hash: string) => boolean;
  /** Milliseconds between two looks at the head's header. */
  readonly lookMs?: number;
};

/** Verification of a network, and what keeps it going. */
export type Verification = {
  readonly proofs: Proofs;
  /** What a checkpoint or layer 1 says of blocks, where one is configured. */
  readonly anchor: Anchor | undefined;
  /** What the state of an agreed head says of older heights; absent without agreement. */
  readonly agreed: AgreedLinks | undefined;
  /** Takes what layer 1 holds, where that is read. */
  readonly layer1: AnchoredChain | undefined;
  /** Finds out what can be verified. Never rejects; goes on in the background where no node answers now. */
  calibrate(): Promise<void>;
  /** As `Verifier.acceptRules`. */
  acceptRules(refutation: Refutation, block: BlockPosition | undefined): ReadonlySet<Upstream> | undefined;
  /** The network is another chain from now on. */
  forgetChain(): void;
  describe(): { readonly verification?: VerificationFigures };
  close(): void;
};

export function openVerification(parts: VerificationParts): Verification {
  const { verify, upstreams, agreement, isWitnessed, network, log, ask, head, lookMs = LOOK_MS } = parts;
  let isDoubtful = false;
  const doubted = new Set<bigint>();
  const onDoubt = (number: bigint | undefined): void => {
    isDoubtful = true;
    if (number !== undefined && number > 0n && doubted.size < MAX_DOUBTED) doubted.add(number);
  };
  const isAnchored = (number: bigint, hash: string): boolean => anchor?.links?.hashAt(number) === hash;
  const verifier =
    verify === 'off' ? undefined : new Verifier({ ...parts, mode: verify, onDoubt, isAnchored });
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
  /** @returns undefined where no node answered in time */
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
      // Nothing waits for this in the background: what it throws would end the process.
      if (!(error instanceof UpstreamFault || error instanceof ChainError))
        log.error({ network, err: error }, 'recent blocks cannot be looked at: a fault of this program');
      return undefined;
    } finally {
      scopes.delete(scope);
    }
  };
  const run = async (): Promise<void> => {
    if (verifier === undefined) return;
    isDoubtful = false;
    repeatAt = Number.POSITIVE_INFINITY;
    await attempt((at, scope) => calibrate({ verifier, ask, head: at, scope }));
    if (!verifier.calibration.isDone) {
      later(retryMs, run);
      // Without a head nothing was asked.
      if (head() !== undefined) retryMs = Math.min(2 * retryMs, LOOK_MS);
      return;
    }
    retryMs = RETRY_MS;
    if (verifier.calibration.isPartial || doubted.size > 0) await search(verifier);
    report(verifier);
    later(lookMs, look);
  };
  const search = async (verifier: Verifier): Promise<void> => {
    const blocks = [...doubted];
    doubted.clear();
    const isAlone = upstreams.filter(({ isUp }) => isUp).length <= 1;
    const isFound = await attempt((_, scope) =>
      findForks({ verifier, ask, scope, doubted: blocks, isAlone }),
    );
    if (isFound !== true) isDoubtful = true;
  };
  /** A fork shows in its first headers, and in answers that fail. */
  const look = async (): Promise<void> => {
    await linkHead();
    const isNew = await attempt((at, scope) => members.hasNew(at, scope));
    if (verifier?.calibration.isPartial === true && repeatAt === Number.POSITIVE_INFINITY) {
      repeatAt = performance.now() + repeatMs;
      repeatMs = Math.min(2 * repeatMs, MAX_REPEAT_MS);
    }
    if (isNew === true || isDoubtful || performance.now() >= repeatAt) await run();
    else later(lookMs, look);
  };
  /** As long as the head is linked now and then, what clients ask of is never far above what is linked. */
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
            ...(until === undefined ? [] : [`but not of some blocks up to ${until}`]),
          ].join(' '),
        ]),
    );
    if (JSON.stringify(fields) === known) return;
    known = JSON.stringify(fields);
    log.info({ network, ...fields }, 'it is known what of this network can be verified');
  };
  const proofs = new Proofs(
    verifier,
    (position) =>
      (agreement?.voices.has(position) ?? isAgreed(position, upstreams)) ||
      agreed?.has(position) === true ||
      isWitnessed(position.hash ?? ''),
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
      // Answers that need it before wait for it.
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

/** More than one node reports the hash: at its height, or as that of its safe, finalized or genesis block. */
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
    if (count >= WITNESSES) return true;
  }
  return false;
}
