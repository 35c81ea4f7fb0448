/** Checks and payments that apply to a transaction. */
export type TransactionRules = {
  /** Whether the nonce must equal the sender's nonce. */
  readonly checksNonce: boolean;
  /** Whether the sender must have no code (EIP-3607). */
  readonly checksSenderCode: boolean;
  /** Whether the gas limit must not exceed the protocol's cap. */
  readonly checksGasCap: boolean;
  /** Whether execution gas is capped; the rest of the gas limit is then the state gas reservoir (EIP-8037). */
  readonly capsExecution: boolean;
  /** Whether a gas price of zero disables the base fee check, and a blob fee cap of zero the blob fee check. */
  readonly isPriceFree: boolean;
  /** Whether logs are collected, unused gas is refunded to the sender, and the tip is paid to the beneficiary. */
  readonly isCompleted: boolean;
};

/**
 * Kind of execution of a transaction.
 * - `mined`: a transaction of a block.
 * - `simulated`: a call with the rules of `eth_call`.
 * - `estimated`: a call with the rules of `eth_estimateGas`.
 * - `assembled`: a transaction of a simulated block, without checks of the sender's code and of the protocol's gas cap.
 * - `assembledUnchecked`: as `assembled`, but also without checks of nonces and prices, and without the cap on execution gas.
 */
export type TransactionMode = 'mined' | 'simulated' | 'estimated' | 'assembled' | 'assembledUnchecked';

const MINED: TransactionRules = {
  checksNonce: true,
  checksSenderCode: true,
  checksGasCap: true,
  capsExecution: true,
  isPriceFree: false,
  isCompleted: true,
};
const ASSEMBLED: TransactionRules = { ...MINED, checksSenderCode: false, checksGasCap: false };
const ESTIMATED: TransactionRules = {
  ...ASSEMBLED,
  checksNonce: false,
  isPriceFree: true,
  isCompleted: false,
};

const MODES: Readonly<Record<TransactionMode, TransactionRules>> = {
  mined: MINED,
  simulated: { ...ESTIMATED, capsExecution: false },
  estimated: ESTIMATED,
  assembled: ASSEMBLED,
  assembledUnchecked: { ...ASSEMBLED, checksNonce: false, capsExecution: false, isPriceFree: true },
};

export function rulesOfMode(mode: TransactionMode): TransactionRules {
  return MODES[mode];
}
