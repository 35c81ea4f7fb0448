import type { RecoverPublicKey } from '../../../../packages/ethereum/primitives/signature.ts';
import type { BlockReads, HeadReads, StateReads, TransactionReads } from '../../../chain/chain.ts';
import type { EthereumBounds } from '../../../chain/sending/check-sent-transaction.ts';
import type { Upstream } from '../../../pool/upstream.ts';
import type { Directed, Handler } from '../../../pool/upstream-request.ts';
import type { RecordTable } from '../../../shared-store/records/record-table.ts';
import type { BlockDirectory } from '../block-directory.ts';
import type { SendSectionOptions } from './options.ts';

/** EVM and cryptography functions for checking transactions, which this module does not import. */
export type SendingTools = {
  readonly recoverPublicKey: RecoverPublicKey;
  readonly measureGas: EthereumBounds['measureGas'];
};

/** Chain reads that are needed to send a transaction. */
export type ChainForSending = {
  readonly blocks: Pick<BlockReads, 'getHeaderObject'>;
  readonly transactions: Pick<TransactionReads, 'getTransaction' | 'getReceipt'>;
  readonly state: Pick<StateReads, 'getTransactionCount'>;
  readonly heads: Pick<HeadReads, 'served' | 'watch'>;
};

export type SendingParts = {
  /** @throws ChainError as long as the chain id is unknown; until then nothing is sent */
  readonly chainId: bigint;
  readonly isDevelopment: boolean;
  readonly upstreams: readonly Upstream[];
  readonly options: SendSectionOptions;
  readonly tools: SendingTools;
  /** Private relay if one is configured; it is then the only recipient of transactions. */
  readonly relay: Upstream | undefined;
  /** Sends to one node in the same way as the pool. */
  readonly sendToNode: Handler<Directed>;
  /** The chain without locally sent transactions; it may be created after this object. */
  readonly chain: () => ChainForSending;
  readonly directory: Pick<BlockDirectory, 'hashOf' | 'hasDeparted'>;
  /** Requests the current heads of healthy nodes. Never rejects. */
  readonly refreshHeads: () => Promise<void>;
  /** Table in which processes share sent transactions; without it each process knows only its own transactions. */
  readonly records: RecordTable | undefined;
};
