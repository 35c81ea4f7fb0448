/** Addresses of the development chains' contracts, derived from their creators and nonces. */
import { create2Address, createAddress } from '../../packages/ethereum/primitives/address.ts';
import { SELFDESTRUCTOR_INIT_CODE } from '../contracts/selfdestructor.ts';
import { DEPLOYER, hashLabel, PIONEER } from './accounts.ts';

/** These are the same on both chains: the deployer creates them first, in this order. */
export const ERC20: Uint8Array = createAddress(DEPLOYER.address, 0n);
export const REVERTER: Uint8Array = createAddress(DEPLOYER.address, 1n);
export const CALLENV: Uint8Array = createAddress(DEPLOYER.address, 2n);
export const DELEGATE: Uint8Array = createAddress(DEPLOYER.address, 3n);

export const LOGGER: Uint8Array = createAddress(PIONEER.address, 0n);
export const FACTORY: Uint8Array = createAddress(PIONEER.address, 1n);

/** The factory is older than EIP-161: its nonce began at 0. */
export const FIRST_CHILD: Uint8Array = createAddress(FACTORY, 0n);
export const SALT: Uint8Array = hashLabel('salt');
export const SALTED_CHILD: Uint8Array = create2Address(FACTORY, SALT, SELFDESTRUCTOR_INIT_CODE);
