/** What of a transaction is checked and settled. */
export type TransactionRules = {
  /** The nonce must be the sender's. */
  readonly checksNonce: boolean;
  /** EIP-3607: the sender must have no code. */
  readonly checksSenderCode: boolean;
  /** Price zero means no price: neither base fee nor blob fee is asked for. */
  readonly isPriceFree: boolean;
  /** Logs are kept, and what is left of the gas is paid back, the rest to the beneficiary. */
  readonly isSettled: boolean;
};

/**
 * `mined`: transactions of blocks. `simulated`: eth_call and estimates. `assembled`: of simulated blocks, which check neither the sender's
 * code nor the protocol's cap on gas; `assembledUnchecked`: without nonces and prices either.
 */
export type TransactionMode = 'mined' | 'simulated' | 'assembled' | 'assembledUnchecked';

const MODES: Readonly<Record<TransactionMode, TransactionRules>> = {
  mined: { checksNonce: true, checksSenderCode: true, isPriceFree: false, isSettled: true },
  simulated: { checksNonce: false, checksSenderCode: false, isPriceFree: true, isSettled: false },
  assembled: { checksNonce: true, checksSenderCode: false, isPriceFree: false, isSettled: true },
  assembledUnchecked: { checksNonce: false, checksSenderCode: false, isPriceFree: true, isSettled: true },
};

export function rulesOfMode(mode: TransactionMode): TransactionRules {
  return MODES[mode];
}
