import type { AnchoredChain } from '../../../chain/output-claim.ts';
import type { Logger } from '../../../observe/logger.ts';
import type { VerificationFigures } from '../../../observe/sources.ts';
import type { BlockHeader } from '../../../pool/heads/block.ts';
import type { Checkpoint } from '../../../pool/options.ts';
import type { Upstream } from '../../../pool/upstream.ts';
import type { BlockPosition, Send } from '../../../pool/upstream-request.ts';
import { AgreedLinks } from '../agreement/agreed-links.ts';
import type { Agreement } from '../agreement/agreement.ts';
import { CalibrationLoop } from './calibration-loop.ts';
import { CheckpointLinks } from './checkpoint-links.ts';
import { Layer1Anchor } from './layer1-anchor.ts';
import { Proofs } from './proofs.ts';
import { type Anchor, TrustRules } from './trust.ts';
import { VerifiedBlocks } from './verified-blocks.ts';
import type { Verifier } from './verifier.ts';

export type VerificationParts = {
  readonly network: string;
  /** Absent if verification is off. */
  readonly verifier: Verifier | undefined;
  readonly checkpoint?: Checkpoint | undefined;
  /** True if output roots on layer 1 anchor blocks of the chain; a checkpoint is then not allowed. */
  readonly isAnchored?: boolean;
  readonly log: Logger;
  readonly ask: Send;
  readonly upstreams: readonly Upstream[];
  readonly refute: (upstream: Upstream, evidence: string) => void;
  readonly head: () => BlockHeader | undefined;
  /** Agreement of operators on a block, if it is configured; if absent, two nodes must report the block. */
  readonly agreement?: Agreement | undefined;
  /** Returns whether enough nodes have reported this hash at an old height. */
  readonly isConfirmed: (hash: string) => boolean;
  /** Interval between checks of the head's header, milliseconds. */
  readonly lookMs?: number;
};

/** Verification of a network, with its background tasks. */
export type Verification = {
  readonly proofs: Proofs;
  /** Checkpoint or layer 1 anchor; undefined if neither is configured. */
  readonly anchor: Anchor | undefined;
  /** Hashes of old heights that are verified by the state of an agreed head; undefined without agreement. */
  readonly agreed: AgreedLinks | undefined;
  /** Receives output roots from layer 1; undefined if layer 1 is not read. */
  readonly layer1: AnchoredChain | undefined;
  /** Determines which parts of answers can be verified. Never rejects. If no node answers now, continues in the background. */
  calibrate(): Promise<void>;
  /** Restarts calibration; called when the network becomes another chain. */
  forgetChain(): void;
  describe(): { readonly verification?: VerificationFigures };
  close(): void;
};

/** Creates the verification of a network. No request is sent before `calibrate` or `forgetChain` is called. */
export function openVerification(parts: VerificationParts): Verification {
  const { verifier, upstreams, agreement, isConfirmed, ask, head } = parts;
  const layer1 =
    verifier === undefined || parts.isAnchored !== true
      ? undefined
      : new Layer1Anchor({ ...parts, verifier });
  const anchor: Anchor | undefined = layer1 ?? openCheckpoint(parts);
  verifier?.otherReported.add((block, upstream) => {
    if (anchor?.links?.hashAt(block.number) === block.hash) verifier.noteOffAnchor(block, upstream);
  });
  const blocks = verifier && new VerifiedBlocks(verifier);
  const agreed =
    agreement === undefined || verifier === undefined || blocks === undefined
      ? undefined
      : new AgreedLinks({
          verifier,
          ask,
          findHeader: (hash) => blocks.findHeader(hash),
          agreedHead: () => {
            const at = head();
            return at !== undefined && agreement.voices.has(at) ? at : undefined;
          },
        });
  const isAgreed = (position: BlockPosition): boolean =>
    (agreement?.voices.has(position) ?? isReportedTwice(position, upstreams)) ||
    agreed?.has(position) === true ||
    isConfirmed(position.hash ?? '');
  const proofs = new Proofs(verifier, blocks, new TrustRules(verifier, isAgreed, anchor, agreement));
  const loop = verifier && new CalibrationLoop({ ...parts, verifier, anchor });
  return {
    proofs,
    anchor,
    agreed,
    layer1,
    calibrate: async () => loop?.calibrate(),
    forgetChain: () => loop?.restart(),
    describe: () =>
      verifier === undefined
        ? {}
        : {
            verification: {
              isCalibrated: verifier.calibration.isDone,
              rows: verifier.calibration.describe(),
              counts: verifier.counts,
              trust: proofs.trust.counts,
              ...(layer1 !== undefined && { anchor: layer1.describe() }),
            },
          },
    close: () => loop?.close(),
  };
}

function openCheckpoint({ checkpoint, verifier, ask }: VerificationParts): Anchor | undefined {
  if (verifier === undefined || checkpoint === undefined) return undefined;
  return { links: new CheckpointLinks(checkpoint, verifier, ask) };
}

/** Returns whether nodes of two operators report the hash: at its height, or as their safe, finalized or genesis block. */
function isReportedTwice({ number, hash }: BlockPosition, upstreams: readonly Upstream[]): boolean {
  const operators = new Set<string>();
  for (const { isUp, isOnFork, tracker, identity, operator } of upstreams) {
    if (!isUp || isOnFork || hash === undefined) continue;
    const { safe, finalized } = tracker;
    const reports =
      tracker.hashAt(number) === hash || [safe?.hash, finalized?.hash, identity?.genesisHash].includes(hash);
    if (reports) operators.add(operator);
  }
  return operators.size > 1;
}
