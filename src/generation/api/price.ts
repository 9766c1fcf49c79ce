import type { JobKind } from '../../contract/generation/requests.ts'
import { GalleyError } from '../../errors.ts'
import { checkProviders } from './able.ts'
import type { Asked, Creation } from './create.ts'
import type { PriceView } from './job-schemas.ts'
import { priceOf } from './prices.ts'
import { balanceOf } from './store.ts'

/**
 * What a request would cost, and whether somebody here can make it. Nothing is stored, and nobody is asked.
 *
 * @throws what `check` throws
 */
export async function askPrice<Kind extends JobKind>(
  { pool, providers, prices }: Creation,
  { accountId, kind, request, check }: Omit<Asked<Kind>, 'idempotencyKey'>,
): Promise<PriceView> {
  await check(request)
  return {
    price: priceOf(kind, request, prices),
    credits: await balanceOf(pool, accountId),
    unavailable: lackIn(() => checkProviders(kind, request, providers)),
  }
}

function lackIn(able: () => void): PriceView['unavailable'] {
  try {
    able()
    return null
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error
    const { settings } = error.details as { settings: string[] }
    return { message: error.message, settings }
  }
}
