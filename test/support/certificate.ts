import { generateKeyPairSync, sign } from 'node:crypto';

/** PEM texts of a self-signed certificate for `localhost` and 127.0.0.1, and of its key. */
export type Certificate = { readonly cert: string; readonly key: string };

/** Tags of DER (X.690) that a certificate needs. */
const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8: 0x0c,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  version: 0xa0,
  extensions: 0xa3,
  dnsName: 0x82,
  ipAddress: 0x87,
} as const;

const OID = {
  ecdsaWithSha256: [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02],
  commonName: [0x55, 0x04, 0x03],
  subjectAltName: [0x55, 0x1d, 0x11],
  basicConstraints: [0x55, 0x1d, 0x13],
} as const;

const DAY_MS = 86_400_000;

/** @param days validity from now on; negative for a certificate that has expired */
export function createCertificate(name = 'localhost', days = 30): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = encode('sequence', encode('oid', OID.ecdsaWithSha256));
  const attribute = encode('sequence', encode('oid', OID.commonName), encode('utf8', Buffer.from(name)));
  const subject = encode('sequence', encode('set', attribute));
  const body = encode(
    'sequence',
    encode('version', encode('integer', [2])),
    encode('integer', [1]),
    algorithm,
    subject,
    encode('sequence', encodeTime(Date.now() - 365 * DAY_MS), encodeTime(Date.now() + days * DAY_MS)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    encode('extensions', encode('sequence', ...encodeExtensions())),
  );
  const signature = sign('sha256', body, privateKey);
  const der = encode('sequence', body, algorithm, encode('bitString', [0], signature));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function encodeExtensions(): Buffer[] {
  const names = encode(
    'sequence',
    encode('dnsName', Buffer.from('localhost')),
    encode('ipAddress', [127, 0, 0, 1]),
  );
  const isAuthority = encode('sequence', encode('boolean', [0xff]));
  return [
    encode('sequence', encode('oid', OID.subjectAltName), encode('octetString', names)),
    encode('sequence', encode('oid', OID.basicConstraints), encode('octetString', isAuthority)),
  ];
}

function encodeTime(at: number): Buffer {
  const text = new Date(at).toISOString().replace(/[-:T]|\.\d+/g, '');
  return encode('generalizedTime', Buffer.from(text));
}

function encode(tag: keyof typeof TAG, ...parts: readonly (Uint8Array | readonly number[])[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([TAG[tag], ...size]), content]);
}
