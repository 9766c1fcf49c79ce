import { useState } from 'react'

/** What was made in a view and is shown this once, the newest first: each until somebody says that it is kept. */
export function useSecrets<Made>() {
  const [secrets, setSecrets] = useState<readonly Made[]>([])
  return {
    secrets,
    show: (made: Made) => setSecrets((before) => [made, ...before]),
    putAway: (made: Made) => setSecrets((before) => before.filter((one) => one !== made)),
  }
}
