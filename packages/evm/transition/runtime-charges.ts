/** State-dependent charges of a transaction before its message (EIP-2780 and 8037). */
import type { TransactionBody } from '../../ethereum/codecs/transaction.ts';
import { createAddress } from '../../ethereum/primitives/address.ts';
import { bytesEqual } from '../../ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../ethereum/primitives/hex.ts';
import { EMPTY_CODE_HASH } from '../../ethereum/primitives/keccak.ts';
import type { RevisionRules, StateGasPrices } from '../interpreter/revisions/revision-rules.ts';
import { hasPrecompile } from '../interpreter/revisions/revision-rules.ts';
import type { WorldState } from '../interpreter/world-state.ts';
import { type Authority, findDelegate } from './delegation.ts';
import type { GasBudget } from './gas-budget.ts';
import type { ExecutionContext } from './running-transaction.ts';

type PaidAuthority = { isWritten: boolean; isDesignated: boolean };

/** Charges for a transaction's authorizations and for its recipient, or for the contract that it creates. */
export class RuntimeCharges {
  readonly #tx: TransactionBody;
  readonly #sender: Uint8Array;
  readonly #context: ExecutionContext;
  readonly #prices: StateGasPrices;
  readonly #budget: GasBudget;
  /** Charges already paid for each authority, by address. */
  readonly #authorities = new Map<string, PaidAuthority>();

  constructor(
    tx: TransactionBody,
    sender: Uint8Array,
    context: ExecutionContext,
    prices: StateGasPrices,
    budget: GasBudget,
  ) {
    this.#tx = tx;
    this.#sender = sender;
    this.#context = context;
    this.#prices = prices;
    this.#budget = budget;
  }

  /**
   * Charges an authorization before it is applied; an inapplicable authorization is free. The write to each authority's account is paid once. The
   * transaction has already paid for the writes of the sender and of a recipient of value. Each delegation is paid once, unless the authority already
   * had a delegation.
   * @returns false when the budget cannot pay
   */
  chargeAuthority({ address, isDelegated, isApplicable }: Authority, endsDelegation: boolean): boolean {
    const key = bytesToHex(address);
    let paid = this.#authorities.get(key);
    if (paid === undefined) {
      paid = { isWritten: this.#isWritePaid(address), isDesignated: isDelegated };
      this.#authorities.set(key, paid);
    }
    if (!isApplicable) return true;
    const execution = paid.isWritten ? 0n : this.#revision.accountWriteGas;
    let state = isEmpty(this.#state, address) ? this.#prices.account : 0n;
    if (!endsDelegation && !paid.isDesignated) state += this.#prices.delegation;
    paid.isWritten = true;
    paid.isDesignated ||= !endsDelegation;
    return this.#budget.charge(execution, state);
  }

  #isWritePaid(authority: Uint8Array): boolean {
    const { to, value } = this.#tx;
    return (
      bytesEqual(authority, this.#sender) || (value > 0n && to !== undefined && bytesEqual(authority, to))
    );
  }

  /**
   * Charges for the account that the message creates: a contract, or an empty recipient of value.
   * @returns the state gas charged, which is refilled when the message fails; undefined when the budget cannot pay
   */
  chargeNewAccount(): bigint | undefined {
    const { to, value } = this.#tx;
    // The sender's nonce is already raised. If a state override set the nonce to 2^64 - 1, raising the nonce made it zero.
    const address =
      to ?? createAddress(this.#sender, BigInt.asUintN(64, this.#state.getNonce(this.#sender) - 1n));
    this.#context.accessList?.touch(address);
    const isNew = (to === undefined || value > 0n) && isEmpty(this.#state, address);
    const charge = isNew ? this.#prices.account : 0n;
    return this.#budget.charge(0n, charge) ? charge : undefined;
  }

  /** Charges for the recipient's delegate before the delegate is accessed. @returns false when the budget cannot pay */
  chargeDelegate(): boolean {
    const { to } = this.#tx;
    const delegate = to && findDelegate(this.#state, to);
    if (delegate === undefined) return true;
    const { coldAccountGas, warmAccountGas } = this.#revision;
    if (!this.#budget.charge(this.#isWarm(delegate) ? warmAccountGas : coldAccountGas, 0n)) return false;
    this.#context.accessList?.touch(delegate);
    return true;
  }

  /** Whether an address is warm when the message begins (EIP-2929, 2930, 3651, 7702). */
  #isWarm(address: Uint8Array): boolean {
    const { to, accessList } = this.#tx;
    return (
      bytesEqual(address, this.#sender) ||
      (to !== undefined && bytesEqual(address, to)) ||
      bytesEqual(address, this.#context.block.beneficiary) ||
      hasPrecompile(this.#revision, address) ||
      this.#authorities.has(bytesToHex(address)) ||
      accessList.some((entry) => bytesEqual(entry.address, address))
    );
  }

  get #revision(): RevisionRules {
    return this.#context.rules.revision;
  }

  get #state(): WorldState {
    return this.#context.evm.state;
  }
}

/** Whether an account is empty (EIP-161). */
function isEmpty(state: WorldState, address: Uint8Array): boolean {
  const account = state.getAccount(address);
  if (account === undefined) return true;
  return account.nonce === 0n && account.balance === 0n && bytesEqual(account.codeHash, EMPTY_CODE_HASH);
}
