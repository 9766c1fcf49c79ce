import { useState } from 'react'
import { dayAfter, lastDayBefore } from '../../components/time.tsx'

/** The last day of a key in a form, and what of it is sent: nothing where it was left as it is, so that a key keeps its hour. */
export function useLastDay(expiresAt: string | null) {
  const before = expiresAt === null ? '' : lastDayBefore(expiresAt)
  const [lastDay, setLastDay] = useState(before)
  const changed = lastDay === before ? {} : { expires_at: dayAfter(lastDay) ?? null }
  return { lastDay, setLastDay, changed }
}
