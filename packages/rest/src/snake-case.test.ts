import { snakeCase } from '@vouchgraph/platform/letter-case';
import { parse, print } from 'graphql';
import { describe, expect, it } from 'vitest';
import { withSnakeCaseAliases } from './snake-case.ts';

describe('keys of REST', () => {
  it('are the names of fields in snake_case', () => {
    const names = ['name', 'accountScore', 'numAccountFromDomain', 'idNumber2'];
    expect(names.map(snakeCase)).toEqual(['name', 'account_score', 'num_account_from_domain', 'id_number2']);
  });

  it('are aliases of every field at any depth, except fields with an alias or a one-word name', () => {
    const document = parse('{ account { bot: botScore riskSignals { spoofedIp vpn } } }');
    expect(print(withSnakeCaseAliases(document)).replace(/\s+/g, ' ')).toBe(
      '{ account { bot: botScore risk_signals: riskSignals { spoofed_ip: spoofedIp vpn } } }',
    );
  });
});
