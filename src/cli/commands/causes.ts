import type { Command } from 'commander'
import { choosesDeliveries, type DeliveryFilter, deliveryFilter } from '../filters.ts'
import { examples } from '../help.ts'
import { inSession } from '../session.ts'
import type { World } from '../world.ts'

/** `galley deliveries causes`: what must be done. */
export function causes(command: Command, world: World): void {
  choosesDeliveries(command.command('causes'))
    .description('Group what is held or has failed by what must be done.')
    .addHelpText('after', examples('galley deliveries causes', 'galley deliveries causes --label news'))
    .action(
      inSession<[], DeliveryFilter>(world, async (session, options) => {
        const answer = await session.call('listCauses', { query: deliveryFilter(options) })
        await session.show(answer, () =>
          session.table(answer.data, [
            { head: 'COUNT', value: ({ count }) => count, whole: true },
            { head: 'CODE', value: ({ code }) => code, whole: true },
            { head: 'WHAT', value: ({ sentence }) => sentence },
            { head: 'TO DO', value: ({ todo }) => todo },
          ]),
        )
        if (answer.more)
          session.note('There are more deliveries than were looked at: there are at least this many.')
      }),
    )
}
