import { QueryClient } from '@tanstack/react-query'
import { ApiFailure } from '../api/failure.ts'

/** What was answered is shown at once the next time, and asked again meanwhile. */
export const createQueryClient = () =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        gcTime: 10 * 60_000,
        // What Galley has refused it refuses again; who does not answer may in a moment.
        retry: (count, error) => !(error instanceof ApiFailure && error.status < 500) && count < 2,
        // Whether Galley answers has nothing to do with what the browser thinks of the network.
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  })
