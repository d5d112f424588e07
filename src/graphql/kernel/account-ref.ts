import type { Account } from '../../domain/accounts/account.ts';
import { builder } from './builder.ts';

/** The account's type, apart from its fields: links point to it and are among its fields. */
export const AccountRef = builder.objectRef<Account>('Account');
