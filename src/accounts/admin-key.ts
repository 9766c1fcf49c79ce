import type { Database, Prisma } from '../database/index.ts'
import { named } from '../database/named.ts'
import type { Logger } from '../log.ts'
import { hashToken } from '../secrets/index.ts'
import { firstAccount } from './accounts.ts'
import { enterDeedOf } from './audit/enter.ts'
import { createKey } from './keys.ts'

const NAME = 'GALLEY_ADMIN_KEY'

/**
 * Sees that the key which the operator chose opens the first account: every start may call it. One that was revoked
 * stays so, and one that was chosen before goes on until somebody revokes it: of both a line in the log tells.
 */
export async function takeAdminKey(
  { prisma, pool }: Pick<Database, 'prisma' | 'pool'>,
  key: string,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  // SQL first, since mostly the key is there: Prisma is loaded only where one is made.
  const { rows } = await pool.query(
    named(`SELECT FROM api_key WHERE hash = :hash AND revoked_at IS NULL`, { hash: hashToken(key) }),
  )
  if (rows.length > 0) return
  await prisma.$transaction((transaction) => take(transaction, key, log), PATIENCE)
}

/** Milliseconds: others may be at their start too, and the machine busy with it. */
const PATIENCE = { maxWait: 30_000, timeout: 30_000 }

async function take(
  transaction: Prisma.TransactionClient,
  key: string,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  const { id: accountId } = await firstAccount(transaction)
  const known = await transaction.apiKey.findUnique({ where: { hash: hashToken(key) } })
  if (known !== null) {
    if (known.revokedAt !== null)
      log.warn(
        `${NAME} is a key that was revoked, and opens nothing. Set another one, or none. To get in: npm start -- --new-key`,
      )
    return
  }
  const before = await transaction.apiKey.findMany({ where: { accountId, name: NAME, revokedAt: null } })
  const { id: subjectId } = await createKey(transaction, { accountId, name: NAME, role: 'operator', key })
  const details = { name: NAME, role: 'operator' }
  await enterDeedOf(transaction, NAME, { accountId, action: 'key.create', subjectId, details })
  for (const { id, lastFour } of before)
    log.warn(
      `${NAME} has changed. The one before, which ends in ${lastFour}, still opens this Galley; end it with DELETE /v1/keys/${id}`,
    )
}
