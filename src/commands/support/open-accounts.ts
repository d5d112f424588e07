import { systemClock } from '@vouchgraph/platform/clock';
import { ACCOUNT_ERASURES } from '../../app/account-erasures.ts';
import { type AccountService, createAccountService } from '../../domain/accounts/account-service.ts';
import { bindSessionOfCheck } from '../../domain/verification/result/bind-check-service.ts';

/* Loaded when a command needs it. */

/** Opens accounts for a command. Domains of emails are not looked up. */
export function openAccounts(): AccountService {
  return createAccountService({
    clock: systemClock,
    bindSessionOfCheck,
    erasures: ACCOUNT_ERASURES,
    mailExchangers: null,
  });
}
