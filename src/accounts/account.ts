import type { Account } from '../database/generated/client.ts'
import type { PrismaClient } from '../database/index.ts'
import { type Page, type PageRequest, toPage } from '../paging.ts'
import type { AccountPatch, AccountView, CreditEntryView } from './schema.ts'

/** An account as its keys may see it. */
export const getAccount = async (prisma: PrismaClient, id: string): Promise<AccountView> =>
  accountView(await prisma.account.findUniqueOrThrow({ where: { id } }))

/** Changes an account's name and what it has chosen; what is left out stays as it is. */
export async function updateAccount(
  prisma: PrismaClient,
  id: string,
  { name, notify_steps }: AccountPatch,
): Promise<AccountView> {
  const data = {
    ...(name !== undefined && { name }),
    ...(notify_steps !== undefined && { notifySteps: notify_steps }),
  }
  return accountView(await prisma.account.update({ where: { id }, data }))
}

const accountView = ({
  id,
  name,
  credits,
  unlimited,
  notifySteps,
  notificationSecret,
  createdAt,
}: Account): AccountView => ({
  id,
  name,
  credits,
  unlimited,
  notify_steps: notifySteps,
  signs_notifications: notificationSecret !== null,
  created_at: createdAt.toISOString(),
})

/** The ledger of an account's credits, the newest entry first. */
export async function listCreditEntries(
  prisma: PrismaClient,
  { accountId, limit, cursor }: PageRequest & { accountId: string },
): Promise<Page<CreditEntryView>> {
  const rows = await prisma.creditEntry.findMany({
    where: { accountId, ...(cursor !== undefined && { id: { lt: BigInt(cursor) } }) },
    orderBy: { id: 'desc' },
    take: limit + 1,
  })
  const entries = rows.map(({ id, kind, amount, price, jobId, note, createdAt }) => ({
    id: String(id),
    kind: kind as CreditEntryView['kind'],
    amount,
    price,
    job_id: kind === 'grant' ? null : jobId,
    note,
    created_at: createdAt.toISOString(),
  }))
  return toPage(entries, limit)
}
