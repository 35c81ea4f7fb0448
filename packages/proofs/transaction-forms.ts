/** Hashed members of a transaction object by transaction type, in the order of the encoding. */

/**
 * Encoding of a member as an RLP item. `recipient`: an address, which is empty if null or absent. `optionalInteger`: an integer, which is 0 if null or absent.
 * `flag`: a boolean, which is false if absent.
 */
export type FieldKind =
  | 'bytes'
  | 'integer'
  | 'recipient'
  | 'optionalInteger'
  | 'flag'
  | 'accessList'
  | 'hashes'
  | 'authorizationList';

export type TransactionField = {
  /** Names of the member, the usual one first. */
  readonly members: readonly string[];
  readonly as: FieldKind;
};

export type TransactionForm = {
  /** Type byte before the RLP list; undefined for legacy transactions. */
  readonly type: number | undefined;
  readonly fields: readonly TransactionField[];
  /** Number of leading fields that the signature covers. Absent for types without a signature, whose sender is a field or unknown. */
  readonly signed?: number;
  /** Member that distinguishes this form from others of the same type. */
  readonly mark?: string;
  /** Unhashed members with the same value in all transactions of the form; addresses are lower-case. */
  readonly fixed?: Readonly<Record<string, string>>;
};

const field = (as: FieldKind, ...members: string[]): TransactionField => ({ members, as });
const integer = (...members: string[]): TransactionField => field('integer', ...members);
const bytes = (...members: string[]): TransactionField => field('bytes', ...members);

const CHAIN_ID = integer('chainId');
const NONCE = integer('nonce');
const GAS_PRICE = integer('gasPrice');
const GAS = integer('gas');
const TO = field('recipient', 'to');
const FROM = bytes('from');
const VALUE = integer('value');
const INPUT = bytes('input', 'data');
const ACCESS_LIST = field('accessList', 'accessList');
const FEES: readonly TransactionField[] = [integer('maxPriorityFeePerGas'), integer('maxFeePerGas')];
const SIGNATURE: readonly TransactionField[] = [integer('v', 'yParity'), integer('r'), integer('s')];
const BODY: readonly TransactionField[] = [GAS, TO, VALUE, INPUT];
/** Sender and recipient of Nitro's internal transactions (core/types/arb_types.go). */
const ARBOS = '0x00000000000000000000000000000000000a4b05';
/** Target precompile of submitted retryables (core/types/arb_types.go, ArbRetryableTxAddress). */
const RETRYABLES = '0x000000000000000000000000000000000000006e';
/** Fee cap of Nitro's own types, which are unsigned. Nodes return the fee cap under either name or under both. */
const FEE_CAP = integer('maxFeePerGas', 'gasPrice');

function signed(type: number | undefined, ...fields: readonly TransactionField[]): TransactionForm {
  return { type, fields: [...fields, ...SIGNATURE], signed: fields.length };
}

const DYNAMIC: readonly TransactionField[] = [CHAIN_ID, NONCE, ...FEES, ...BODY, ACCESS_LIST];

export const TRANSACTION_FORMS: readonly TransactionForm[] = [
  signed(undefined, NONCE, GAS_PRICE, ...BODY),
  signed(1, CHAIN_ID, NONCE, GAS_PRICE, ...BODY, ACCESS_LIST),
  signed(2, ...DYNAMIC),
  signed(3, ...DYNAMIC, integer('maxFeePerBlobGas'), field('hashes', 'blobVersionedHashes')),
  signed(4, ...DYNAMIC, field('authorizationList', 'authorizationList')),
  // OP Stack: deposits (specs, deposits.md).
  {
    type: 0x7e,
    mark: 'sourceHash',
    fields: [
      bytes('sourceHash'),
      FROM,
      TO,
      field('optionalInteger', 'mint'),
      VALUE,
      GAS,
      field('flag', 'isSystemTx'),
      INPUT,
    ],
    fixed: { gasPrice: '0x0' },
  },
  // Scroll: layer 1 messages (go-ethereum of scroll-tech, core/types/l1_message_tx.go).
  { type: 0x7e, mark: 'queueIndex', fields: [integer('queueIndex'), GAS, TO, VALUE, INPUT, bytes('sender')] },
  // Arbitrum Nitro (go-ethereum of OffchainLabs, core/types/arb_types.go).
  {
    type: 0x64,
    mark: 'requestId',
    fields: [CHAIN_ID, bytes('requestId'), FROM, TO, VALUE],
    fixed: { nonce: '0x0', gas: '0x0', gasPrice: '0x0', input: '0x' },
  },
  { type: 0x65, fields: [CHAIN_ID, FROM, NONCE, FEE_CAP, ...BODY] },
  {
    type: 0x66,
    mark: 'requestId',
    fields: [CHAIN_ID, bytes('requestId'), FROM, FEE_CAP, ...BODY],
    fixed: { nonce: '0x0' },
  },
  {
    type: 0x68,
    mark: 'ticketId',
    fields: [
      CHAIN_ID,
      NONCE,
      FROM,
      FEE_CAP,
      ...BODY,
      bytes('ticketId'),
      bytes('refundTo'),
      integer('maxRefund'),
      integer('submissionFeeRefund'),
    ],
  },
  {
    type: 0x69,
    mark: 'requestId',
    fields: [
      CHAIN_ID,
      bytes('requestId'),
      FROM,
      integer('l1BaseFee'),
      integer('depositValue'),
      FEE_CAP,
      GAS,
      field('recipient', 'retryTo'),
      integer('retryValue'),
      bytes('beneficiary'),
      integer('maxSubmissionFee'),
      bytes('refundTo'),
      bytes('retryData'),
    ],
    fixed: { to: RETRYABLES, value: '0x0', nonce: '0x0' },
  },
  {
    type: 0x6a,
    fields: [CHAIN_ID, INPUT],
    fixed: { from: ARBOS, to: ARBOS, value: '0x0', gas: '0x0', gasPrice: '0x0', nonce: '0x0' },
  },
  // Celo: fees in another currency (CIP-64).
  { ...signed(0x7b, ...DYNAMIC, bytes('feeCurrency')), mark: 'feeCurrency' },
];
