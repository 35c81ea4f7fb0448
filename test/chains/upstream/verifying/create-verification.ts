import { recoverPublicKey } from '../../../../scripts/chains/secp256k1.ts';
import {
  openVerification,
  type Verification,
  type VerificationParts,
} from '../../../../src/chains/upstream/verifying/open-verification.ts';
import { Verifier } from '../../../../src/chains/upstream/verifying/verifier.ts';
import type { VerifyMode } from '../../../../src/pool/options.ts';
import { createRecordingLog } from '../../../gateway/recording-log.ts';

type Parts = Pick<VerificationParts, 'ask' | 'head'> & Partial<VerificationParts>;

/** Opens the verification of a network that quarantines no node. */
export function createVerification(mode: Exclude<VerifyMode, 'off'>, parts: Parts): Verification {
  const known = {
    network: 'test',
    log: createRecordingLog(),
    upstreams: [],
    refute: () => {},
    isConfirmed: () => false,
    ...parts,
  };
  return openVerification({ ...known, verifier: new Verifier({ ...known, mode, recoverPublicKey }) });
}
