/** What of a transaction is checked and settled. */
export type TransactionRules = {
  /** The nonce must be the sender's. */
  readonly checksNonce: boolean;
  /** EIP-3607: the sender must have no code. */
  readonly checksSenderCode: boolean;
  /** Its gas limit is not above what the protocol allows. */
  readonly checksGasCap: boolean;
  /** A part of its gas limit, at most, is execution gas, and the rest a reservoir of state gas (EIP-8037). */
  readonly capsExecution: boolean;
  /** Price zero means no price: neither base fee nor blob fee is asked for. */
  readonly isPriceFree: boolean;
  /** Logs are kept, and what is left of the gas is paid back, the rest to the beneficiary. */
  readonly isSettled: boolean;
};

/**
 * `mined`: transactions of blocks. `simulated`: eth_call. `estimated`: estimates. `assembled`: of simulated blocks, which check neither the sender's
 * code nor the protocol's cap on gas; `assembledUnchecked`: without nonces and prices either.
 */
export type TransactionMode = 'mined' | 'simulated' | 'estimated' | 'assembled' | 'assembledUnchecked';

const MINED: TransactionRules = {
  checksNonce: true,
  checksSenderCode: true,
  checksGasCap: true,
  capsExecution: true,
  isPriceFree: false,
  isSettled: true,
};
const ASSEMBLED: TransactionRules = { ...MINED, checksSenderCode: false, checksGasCap: false };
const ESTIMATED: TransactionRules = { ...ASSEMBLED, checksNonce: false, isPriceFree: true, isSettled: false };

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
