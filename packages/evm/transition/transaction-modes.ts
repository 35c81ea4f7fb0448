/** Checks and payments that apply to a transaction. */
export type TransactionRules = {
  /** The nonce must equal the sender's nonce. */
  readonly checksNonce: boolean;
  /** EIP-3607: the sender must have no code. */
  readonly checksSenderCode: boolean;
  /** The gas limit must not exceed the protocol's cap. */
  readonly checksGasCap: boolean;
  /** Execution gas is capped; the rest of the gas limit is a reservoir of state gas (EIP-8037). */
  readonly capsExecution: boolean;
  /** A gas price of zero disables the base fee check; a blob fee cap of zero disables the blob fee check. */
  readonly isPriceFree: boolean;
  /** Logs are collected, unused gas is refunded to the sender, and the tip is paid to the beneficiary. */
  readonly isCompleted: boolean;
};

/**
 * Kind of execution of a transaction.
 * - `mined`: a transaction of a block.
 * - `simulated`: eth_call.
 * - `estimated`: gas estimates.
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
