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

describe('methods of a development node', () => {
  it('are for clients of this machine that no proxy stands before', () => {
    assert.equal(authorizeClient(RULE, CLIENT, undefined), 'granted');
    assert.equal(authorizeClient(RULE, { ...CLIENT, address: '::1' }, undefined), 'granted');
    assert.equal(authorizeClient({ ...RULE, listensOnLoopback: false }, CLIENT, undefined), 'listener');
    assert.equal(authorizeClient({ ...RULE, hasTrustedProxies: true }, CLIENT, undefined), 'trustedProxies');
    for (const address of ['10.0.0.1', '1270.0.0.1', '127.0.0.1.example', '::2', ''])
      assert.equal(authorizeClient(RULE, { ...CLIENT, address }, undefined), 'address', address);
    assert.equal(authorizeClient(RULE, { ...CLIENT, isForwarded: true }, undefined), 'proxy');
  });

  it('are for pages whose origin is named, which null never is', () => {
    const check = (origin: string): string => authorizeClient(RULE, { ...CLIENT, origin }, undefined);
    assert.equal(check('HTTP://localhost:3000'), 'granted');
    for (const origin of ['null', '*', '', 'http://localhost:3001', 'http://localhost:3000.evil.example'])
      assert.equal(check(origin), 'origin', origin);
  });

  it('are not for keys that are bound to contracts, or may not send', () => {
    for (const rule of [RULE, { ...RULE, isEverywhere: true }]) {
      const check = (maySend: boolean, bindsContracts: boolean): string =>
        authorizeClient(rule, CLIENT, { maySend, bindsContracts });
      assert.equal(check(true, false), 'granted');
      assert.equal(check(true, true), 'contracts');
      assert.equal(check(false, false), 'sending');
    }
  });

  it('are for clients everywhere where the network says so, but for pages that are not named', () => {
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

  it('say which condition is not met, and what to do; a client of which nothing is known is refused', () => {
    assert.equal(explainRefusal('granted', 'anvil_mine'), undefined);
    assert.match(
      explainRefusal('proxy', 'anvil_mine') ?? '',
      /^the method anvil_mine .*proxy.*development: true/,
    );
    assert.match(explainRefusal(undefined, 'anvil_mine') ?? '', /cannot be checked/);
  });

  it('are named one by one, or of three namespaces; in another case they are none', () => {
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
