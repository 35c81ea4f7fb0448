import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  authorizeClient,
  type ClientFacts,
  type DevelopmentRule,
  explainRefusal,
} from '../../src/methods/development-access.ts';
import { findDevelopmentLabel } from '../../src/methods/development-methods.ts';

const RULE: DevelopmentRule = {
  isEverywhere: false,
  listensOnLoopback: true,
  hasTrustedProxies: false,
  origins: new Set(['http://localhost:3000', 'null']),
};
const CLIENT: ClientFacts = { address: '127.0.0.1', origin: undefined, isForwarded: false };

describe('access to the methods of a development node', () => {
  it('is granted to clients on this machine without a proxy', () => {
    assert.equal(authorizeClient(RULE, CLIENT, undefined), 'granted');
    assert.equal(authorizeClient(RULE, { ...CLIENT, address: '::1' }, undefined), 'granted');
    assert.equal(authorizeClient({ ...RULE, listensOnLoopback: false }, CLIENT, undefined), 'listener');
    assert.equal(authorizeClient({ ...RULE, hasTrustedProxies: true }, CLIENT, undefined), 'trustedProxies');
    for (const address of ['10.0.0.1', '1270.0.0.1', '127.0.0.1.example', '::2', ''])
      assert.equal(authorizeClient(RULE, { ...CLIENT, address }, undefined), 'address', address);
    assert.equal(authorizeClient(RULE, { ...CLIENT, isForwarded: true }, undefined), 'proxy');
  });

  it('is granted to pages with a configured origin, and never to the origin null', () => {
    const check = (origin: string): string => authorizeClient(RULE, { ...CLIENT, origin }, undefined);
    assert.equal(check('HTTP://localhost:3000'), 'granted');
    for (const origin of ['null', '*', '', 'http://localhost:3001', 'http://localhost:3000.evil.example'])
      assert.equal(check(origin), 'origin', origin);
  });

  it('is refused to keys that are bound to contracts, or may not send', () => {
    for (const rule of [RULE, { ...RULE, isEverywhere: true }]) {
      const check = (maySend: boolean, bindsContracts: boolean): string =>
        authorizeClient(rule, CLIENT, { maySend, bindsContracts });
      assert.equal(check(true, false), 'granted');
      assert.equal(check(true, true), 'contracts');
      assert.equal(check(false, false), 'sending');
    }
  });

  it('is granted to all clients if the network is configured so, but not to pages with other origins', () => {
    const rule: DevelopmentRule = {
      ...RULE,
      isEverywhere: true,
      listensOnLoopback: false,
      hasTrustedProxies: true,
    };
    const client: ClientFacts = { address: '10.0.0.1', origin: undefined, isForwarded: true };
    assert.equal(authorizeClient(rule, client, undefined), 'granted');
    assert.equal(authorizeClient(rule, { ...client, origin: 'https://evil.example' }, undefined), 'origin');
  });

  it('is refused with the unmet condition and a remedy, and also without client facts', () => {
    assert.equal(explainRefusal('granted', 'anvil_mine'), undefined);
    assert.match(
      explainRefusal('proxy', 'anvil_mine') ?? '',
      /^the method anvil_mine .*proxy.*development: true/,
    );
    assert.match(explainRefusal(undefined, 'anvil_mine') ?? '', /cannot be checked/);
  });

  it('applies to listed methods and three namespaces, in exact case', () => {
    assert.equal(findDevelopmentLabel('anvil_setBalance'), 'anvil_*');
    assert.equal(findDevelopmentLabel('eth_sendTransaction'), 'eth_sendTransaction');
    const others = [
      'personal_sign',
      'personal_unlockAccount',
      'eth_sendRawTransaction',
      'ANVIL_mine',
      'anvil_',
    ];
    for (const name of [...others, 'eth_signer', 'xanvil_mine', 'admin_peers', 'debug_setHead'])
      assert.equal(findDevelopmentLabel(name), undefined, name);
  });
});
