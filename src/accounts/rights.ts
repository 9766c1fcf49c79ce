/** What a key may be, the mightiest first. A key of a new Galley is `operator`; what other keys are is said when they are made. */
export const roles = ['operator', 'owner', 'manager', 'editor', 'source'] as const

export type Role = (typeof roles)[number]

/** Who owns an account: whoever may make keys of it. */
export const owners = ['operator', 'owner'] as const
const managers = [...owners, 'manager'] as const
const editors = [...managers, 'editor'] as const
const senders = [...managers, 'source'] as const

/**
 * Who may do what. Each endpoint declares one of these rights beside its schemas, and the table in docs/api.md is printed
 * from both. Nobody has a right over another account's things: every statement names the caller's account.
 */
export const rights = {
  /** Sign in to the page and out, and see who one is. */
  session: roles,
  /** Accounts of this installation, and the credits they get. */
  'accounts.manage': ['operator'],
  /** How busy the installation is, of all its accounts together. */
  'metrics.read': ['operator'],
  'account.read': editors,
  'account.change': owners,
  'keys.manage': owners,
  'audit.read': owners,
  'sites.read': editors,
  'sites.change': managers,
  'sources.read': editors,
  /** Of a key that is limited to sites: sources that can send to these alone, and no others. */
  'sources.change': managers,
  'events.read': editors,
  'deliveries.read': editors,
  /** Retry, release, cancel: what moves a delivery on, and changes no site. */
  'deliveries.act': editors,
  /** Hand over a document to be delivered. */
  'deliveries.create': senders,
  /** See what a document would become. Nothing is written. */
  preview: [...editors, 'source'],
  /** Of a job whose id one knows: how far it is, and its result. */
  'jobs.read': [...editors, 'source'],
  /** See every job of the account, and what was asked for. */
  'jobs.list': editors,
  /** Create documents, audio and images, which costs credits. */
  'jobs.create': [...managers, 'source'],
  /** Follow changes as they happen. */
  'changes.read': editors,
  'notifications.read': editors,
  'notifications.change': managers,
  /** Who is told what becomes of deliveries and sites; a key that is limited to sites has those told that it names. */
  'receivers.change': managers,
} as const satisfies Record<string, readonly Role[]>

export type Right = keyof typeof rights

/** Rights over what belongs to no single site: a key that is limited to sites has none of them, whatever its role. */
const accountWideRights: readonly Right[] = [
  'accounts.manage',
  'metrics.read',
  'account.change',
  'keys.manage',
  'audit.read',
  'notifications.change',
]

/** Whether a key that is limited to some sites can have the right at all. */
export const allowsSiteScope = (right: Right): boolean => !accountWideRights.includes(right)

/** Whether a key of this role has the right. */
export const hasRight = (role: Role, right: Right): boolean =>
  (rights[right] as readonly Role[]).includes(role)
