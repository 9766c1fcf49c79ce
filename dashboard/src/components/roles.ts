import { __ } from '@wordpress/i18n'
import type { Key } from '../api/client.ts'

export type Role = Key['role']

/** Roles, the most powerful first. */
export const roles = {
  operator: {
    label: () => __('Operator', 'galley'),
    means: () => __('Runs this Galley: everything in this account, and other accounts.', 'galley'),
  },
  owner: {
    label: () => __('Owner', 'galley'),
    means: () => __('Everything in this account.', 'galley'),
  },
  manager: {
    label: () => __('Manager', 'galley'),
    means: () => __('Connects and changes sites, sources and receivers, and sends documents.', 'galley'),
  },
  editor: {
    label: () => __('Editor', 'galley'),
    means: () => __('Sees everything, and retries, releases and cancels deliveries.', 'galley'),
  },
  source: {
    label: () => __('Source', 'galley'),
    means: () => __('Sends documents, and sees what they would become.', 'galley'),
  },
} satisfies Record<Role, { label: () => string; means: () => string }>

/** Roles that can create keys have no limit: they could create a key without one. */
export const mayBeLimited = (role: Role): boolean => role !== 'operator' && role !== 'owner'

/** Nobody grants a role above their own. */
export function rolesBelow(own: string): Role[] {
  const all = Object.keys(roles) as Role[]
  return all.slice(Math.max(0, all.indexOf(own as Role)))
}

/** The name of a role; unknown ones are returned as they are. */
export const roleInWords = (role: string): string => (role in roles ? roles[role as Role].label() : role)
