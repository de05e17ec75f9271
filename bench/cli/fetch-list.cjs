// What a script author writes instead of `mkt campaigns list`: no table, no retries, no explanation of an error.
const { MKT_BASE_URL: url, MKT_ORG: organization, MKT_TOKEN: token } = process.env;

async function main() {
  if (!token) throw new Error('MKT_TOKEN is not set.');
  const response = await fetch(`${url}/organizations/${organization}/campaigns.json?page=1`, {
    headers: { accept: 'application/json', authorization: `Bearer ${token}` },
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  const campaigns = await response.json();
  for (const { id, name, status } of campaigns) console.log(`${id}\t${status}\t${name}`);
  console.log(`${campaigns.length} of ${response.headers.get('total-count')}`);
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
