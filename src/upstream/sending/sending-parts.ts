import type { BlockReads, HeadReads, StateReads, TransactionReads } from '../../chain/chain.ts';
import type { EthereumBounds } from '../../chain/sending/judge-transaction.ts';
import type { RecoverPublicKey } from '../../primitives/signature.ts';
import type { RecordTable } from '../../records/record-table.ts';
import type { BlockDirectory } from '../block-directory.ts';
import type { Directed, Handler } from '../routed-call.ts';
import type { Upstream } from '../upstream.ts';
import type { SendOptions } from './options.ts';

/** What judging a transaction takes of the EVM and its cryptography, which this part of the service does not see. */
export type SendingTools = {
  readonly recoverPublicKey: RecoverPublicKey;
  readonly measureGas: EthereumBounds['measureGas'];
};

/** What the sending of a network asks of its chain. */
export type ChainForSending = {
  readonly blocks: Pick<BlockReads, 'getHeaderObject'>;
  readonly transactions: Pick<TransactionReads, 'getTransaction' | 'getReceipt'>;
  readonly state: Pick<StateReads, 'getTransactionCount'>;
  readonly heads: Pick<HeadReads, 'served' | 'watch'>;
};

export type SendingParts = {
  /** @throws ChainError as long as it is not known; nothing is sent before */
  readonly chainId: bigint;
  readonly isDevelopment: boolean;
  readonly upstreams: readonly Upstream[];
  readonly options: SendOptions;
  readonly tools: SendingTools;
  /** Where a private relay is configured: it alone gets transactions. */
  readonly relay: Upstream | undefined;
  /** Asks one node, as the pool does. */
  readonly askNode: Handler<Directed>;
  /** The chain without what was sent here; it may be made after this. */
  readonly chain: () => ChainForSending;
  readonly directory: Pick<BlockDirectory, 'hashOf' | 'hasDeparted'>;
  /** Asks the healthy nodes for their heads now. Never rejects. */
  readonly refreshHeads: () => Promise<void>;
  /** Where processes share what was sent; without it each knows its own. */
  readonly records: RecordTable | undefined;
};
