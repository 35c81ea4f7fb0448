import { readInteger } from '../../packages/proofs/members.ts';
import { scrubMessage } from './errors/scrub-message.ts';
import { UpstreamFault } from './fault.ts';
import { type OwnTransport, requestNodeValue } from './request-value.ts';

/** Chain and client software of a node. All texts are without secrets and control characters, so they are safe to log. */
export type Identity = {
  readonly chainId: bigint;
  /** Undefined if the node no longer has block 0. */
  readonly genesisHash: string | undefined;
  /** Result of `web3_clientVersion`; `unknown` if the node does not report it. */
  readonly clientVersion: string;
  readonly knowsHashParameters: boolean;
};

/** Matches clients that accept `{blockHash}` wherever a call takes a block (EIP-1898). */
const KNOWS_HASH_PARAMETERS = /^(geth|reth|nethermind|erigon|anvil|portcullis)\//i;
const MAX_VERSION_LENGTH = 200;

/**
 * Requests the identity of a node.
 * @param deadline ms on the clock of `performance.now()`
 * @param secrets texts that are removed from the node's answers
 * @throws UpstreamFault
 */
export async function readIdentity(
  own: OwnTransport,
  deadline: number,
  secrets: readonly string[],
): Promise<Identity> {
  const ask = async (method: string, params: string): Promise<unknown> => {
    const reply = await requestNodeValue(own, { method, params }, deadline);
    return reply.kind === 'result' ? reply.value : undefined;
  };
  const [chainId, genesis, version] = await Promise.all([
    ask('eth_chainId', '[]'),
    ask('eth_getBlockByNumber', '["0x0",false]'),
    ask('web3_clientVersion', '[]').catch(ignoreFault),
  ]);
  const { hash } = Object(genesis) as { readonly hash?: unknown };
  const clientVersion =
    typeof version === 'string'
      ? scrubMessage(version, secrets)
          .replace(/[^\x20-\x7e]/g, '')
          .slice(0, MAX_VERSION_LENGTH)
      : 'unknown';
  return {
    chainId: parseChainId(chainId),
    genesisHash: typeof hash === 'string' ? scrubMessage(hash.toLowerCase(), secrets) : undefined,
    clientVersion,
    knowsHashParameters: KNOWS_HASH_PARAMETERS.test(clientVersion),
  };
}

/** Ignores that `web3_clientVersion` failed, because some vendors refuse this method. */
function ignoreFault(error: unknown): undefined {
  if (!(error instanceof UpstreamFault)) throw error;
}

function parseChainId(value: unknown): bigint {
  try {
    return readInteger(value, 'eth_chainId');
  } catch {
    // Ignores that the value is not a quantity, because the next statement throws the fault.
  }
  throw new UpstreamFault('malformed', 'eth_chainId is not a quantity');
}
