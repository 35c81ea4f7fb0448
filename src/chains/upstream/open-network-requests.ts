import type { JsonBytes, JsonText } from '../../../packages/ethereum/primitives/json-result.ts';
import type { CacheKey } from '../../cache/cache.ts';
import { createPool } from '../../pool/pool.ts';
import { createSendToVoices } from './agreement/send-to-voices.ts';
import { BlockDirectory } from './block-directory.ts';
import { BlockResolver } from './block-resolver.ts';
import type { RequestParts } from './call-requests.ts';
import { ConfirmedHashes } from './confirmed-hashes.ts';
import type { NetworkNodes } from './open-network-nodes.ts';
import { findReported, mayReportHead } from './reported-heads.ts';
import { aimPending } from './sending/aim-pending.ts';
import { SentTransactions } from './sending/sent-transactions.ts';
import type { UpstreamChainOptions } from './upstream-chain-options.ts';
import { openVerification, type Verification } from './verifying/open-verification.ts';
import type { Proofs } from './verifying/proofs.ts';
import { Verifier } from './verifying/verifier.ts';

/** The parts that send requests to the nodes of a network, resolve blocks, and verify answers. */
export type NetworkRequests = {
  readonly parts: RequestParts & { readonly proofs: Proofs };
  readonly verification: Verification;
  /** Transactions that were sent here; empty at first. */
  readonly sent: SentTransactions;
};

/**
 * Creates the parts that send requests to nodes. The verifier is created before the pool of nodes, because the pool consults the verifier about
 * refuted answers.
 */
export function openNetworkRequests(options: UpstreamChainOptions, nodes: NetworkNodes): NetworkRequests {
  const { network, pool, cache, log, verify } = options;
  const { upstreams, chainId, membership, agreement, heights, head, refute, explain } = nodes;
  const { recoverPublicKey } = options.sending.tools;
  const readHead = () => head.head;
  const verifier =
    verify === 'off'
      ? undefined
      : new Verifier({ network, mode: verify, upstreams, recoverPublicKey, log, head: readHead, refute });
  const { ask: sendToPool, sendCoalesced } = createPool({
    network,
    upstreams,
    options: pool,
    cache,
    isFinal: (height) => height <= (head.finalized?.number ?? -1n),
    voices: agreement?.demanded,
    log,
    ...(verifier !== undefined && {
      acceptRules: (refutation, call) => verifier.acceptRules(refutation, call.block),
    }),
  });
  const sent = new SentTransactions(() => performance.now());
  const ask = aimPending((context) => chainId.gate(context, sendToPool), { upstreams, served: head, sent });
  const confirmed = new ConfirmedHashes();
  const verification = openVerification({
    ...options,
    verifier,
    ask,
    upstreams,
    agreement,
    isConfirmed: (hash) => confirmed.has(hash),
    refute,
    head: readHead,
  });
  const { proofs, anchor, agreed } = verification;
  const directory = new BlockDirectory(
    ask,
    head,
    (hash) => findReported(upstreams, hash),
    {
      check: (block, result, upstream) => proofs.blocks?.check(block, result, false, upstream) ?? result,
      noteOther: (block, upstream) => verifier?.noteOther(block, upstream),
      findHeader: (hash) => proofs.blocks?.findHeader(hash),
      anchor,
      absence: proofs.absence,
      agreed,
      voices: agreement?.voices,
    },
    confirmed,
  );
  const resolver = new BlockResolver({
    head,
    heights,
    directory,
    tags: pool.tags,
    genesisHash: () => membership.genesisHash,
    mayBeKnown: () =>
      membership.hasBegun
        ? upstreams.some((upstream) => mayReportHead(upstream, head))
        : chainId.known !== undefined || chainId.mayBeReported,
    explainOutage: explain,
  });
  const parts = {
    // A development node may serve another chain with the same chain id after a restart.
    cacheScope: pool.development
      ? () => `${chainId.value}@${membership.genesisHash}`
      : () => `${chainId.value}`,
    ask,
    sendToVoices: agreement?.demanded && createSendToVoices(ask, agreement.demanded),
    sendCoalesced,
    keep: (key: CacheKey, answer: JsonText | JsonBytes) => cache.set(key, answer),
    recall: (key: CacheKey) => cache.get(key),
    proofs,
    resolver,
    directory,
  };
  return { parts, verification, sent };
}
