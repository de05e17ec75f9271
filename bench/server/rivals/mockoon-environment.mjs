// A Mockoon environment: three CRUD routes on data buckets. `mockoon-cli --repair` fills in the fields left out.
import { randomUUID } from 'node:crypto';

/** @param {{ list: object[], item: object }} answers */
export function mockoonEnvironment({ list, item }) {
  const data = Object.entries({ campaigns: list, shown: [item], written: [] }).map(([name, rows]) => ({
    uuid: randomUUID(),
    id: name,
    name,
    documentation: '',
    value: JSON.stringify(rows),
  }));
  const routes = data.map(({ id, name }) => ({
    uuid: randomUUID(),
    type: 'crud',
    method: '',
    endpoint: name,
    responses: [
      {
        uuid: randomUUID(),
        bodyType: 'DATABUCKET',
        databucketID: id,
        statusCode: 200,
        default: true,
        crudKey: 'id',
        disableTemplating: true,
        headers: [{ key: 'Content-Type', value: 'application/json' }],
      },
    ],
  }));
  return {
    uuid: randomUUID(),
    lastMigration: 33,
    name: 'Marketplace',
    data,
    routes,
    rootChildren: routes.map(({ uuid }) => ({ type: 'route', uuid })),
  };
}
