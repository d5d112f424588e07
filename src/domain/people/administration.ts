import { AppError } from '@vouchgraph/platform/errors';
import { inputShape } from '@vouchgraph/platform/input-shape';
import { objectIdShape } from '@vouchgraph/platform/object-id';
import { z } from 'zod';
import { PERSON_ROLES, type PersonRole } from '../projects/person-role.ts';

/** People and invitations of a project that are listed. */
export const MAX_LISTED = 1000;

/** A person as administrators of a project see it. */
export type ProjectPerson = {
  readonly personId: string;
  readonly name: string;
  readonly email: string;
  readonly role: PersonRole;
  /** Name of the provider whose claims gave the role; null for a role that a person or a command gave. */
  readonly roleProvider: string | null;
  readonly twoFactorEnabled: boolean;
  readonly disabledAt: Date | null;
  /** When the person received the first role in the project. */
  readonly joinedAt: Date;
  /** Start of the latest session that has not ended. */
  readonly signedInAt: Date | null;
};

/** An invitation to a project that can be spent. */
export type PendingInvitation = {
  readonly invitationId: string;
  readonly email: string;
  readonly name: string;
  readonly role: PersonRole;
  /** `person:ID` or `command line`. */
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
};

/** Role in an input. */
export const personRoleShape = z.enum(PERSON_ROLES);
const personIdShape = objectIdShape.describe('personId of the person.');

export const invitePersonShape = inputShape('InvitePersonInput', 'Person to invite to the project.', {
  email: z
    .string()
    .describe('Email address with which the person signs in, up to 254 characters. Case is ignored.'),
  name: z.string().describe('Name, 1 to 128 characters. The person can change it when it enters.'),
  role: personRoleShape.describe('Role in the project.'),
});
export type InvitePersonInput = z.infer<typeof invitePersonShape>;

export const withdrawInvitationShape = inputShape('WithdrawInvitationInput', 'Invitation to withdraw.', {
  invitationId: objectIdShape.describe('invitationId of the invitation.'),
});

export const setPersonRoleShape = inputShape('SetPersonRoleInput', 'Person with its new role.', {
  personId: personIdShape,
  role: personRoleShape.describe('Role in the project, in place of the earlier one.'),
});
export type SetPersonRoleInput = z.infer<typeof setPersonRoleShape>;

/** Inputs of mutations that need a person only. */
export const removePersonShape = inputShape('RemovePersonInput', 'Person to remove from the project.', {
  personId: personIdShape,
});
export const resetPersonShape = inputShape('ResetPersonInput', 'Person to choose another password.', {
  personId: personIdShape,
});
export const disablePersonShape = inputShape('DisablePersonInput', 'Person to disable.', {
  personId: personIdShape,
});
export const enablePersonShape = inputShape('EnablePersonInput', 'Person to enable.', {
  personId: personIdShape,
});
export const erasePersonShape = inputShape('ErasePersonInput', 'Person to erase.', {
  personId: personIdShape,
});

/** The same error for an unknown person and one without a role in the project. */
export function personNotFound(): AppError {
  return new AppError('person.not_found', 'not_found', 'Person not found in this project');
}

/** The same error for an unknown, a spent and an expired invitation, and one of another project. */
export function pendingInvitationNotFound(): AppError {
  return new AppError('invitation.not_found', 'not_found', 'Invitation not found');
}

export function lastAdministrator(): AppError {
  return new AppError(
    'person.last_administrator',
    'conflict',
    'The project needs an administrator who is not disabled: give another person the role ADMIN first',
  );
}

export function notOneself(): AppError {
  return new AppError(
    'person.is_self',
    'conflict',
    'You cannot do this to yourself: ask another administrator',
  );
}

/** For changes in the whole installation. It names no project: the caller may not know the others. */
export function inOtherProjects(): AppError {
  return new AppError(
    'person.in_other_projects',
    'forbidden',
    'This changes the person in the whole installation, and you do not administer all projects of the person: ' +
      'ask the operator of the gateway',
  );
}
