/*
 * Draws the link graph of the signed-in account. The page's own backend creates a browser token with the scope LINKS;
 * the page sends it to the gateway, which answers with pseudonyms and masked values: the page receives no data of another
 * person. Plain JavaScript and SVG, without dependencies.
 */

const QUERY = `query LinkGraph($accountId: ID!) {
  linkGraph(accountId: $accountId, depth: 2, maxNodes: 60) {
    nodes { key depth }
    edges { from to score matchTypes firstSeen evidence { kind maskedValue } }
    truncated
  }
}`;

const SIZE = 640;
const CENTER = SIZE / 2;
const RING = 125;
const HASH = /^[0-9a-f]{8}$/;
/** Kinds of evidence that count for a match type of another name. */
const TYPE_OF_KIND = { NEAR_EMAIL: 'EMAIL', NEAR_DEVICE: 'DEVICE', NEIGHBOURHOOD: 'NETWORK' };
const SVG = 'http://www.w3.org/2000/svg';

/** Token, account and address of the gateway, from the page's own backend. */
async function fetchAccess() {
  const response = await fetch('/link-graph-token', { method: 'POST' });
  if (!response.ok) throw new Error(`The backend answered ${response.status}`);
  return response.json();
}

async function fetchGraph({ gateway, token, accountId }) {
  const response = await fetch(`${gateway}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query: QUERY, variables: { accountId } }),
  });
  const { data, errors } = await response.json();
  if (errors) throw new Error(errors[0].message);
  return data.linkGraph;
}

/** Positions by key: the account in the center, others on the ring of their depth, near the account that leads to them. */
function layOut({ nodes, edges }) {
  const placed = new Map();
  const rings = Map.groupBy(nodes, ({ depth }) => depth);
  for (const [depth, ring] of rings) {
    const angleOfParent = ({ key }) => {
      const edge = edges.find(
        ({ from, to }) => (from === key && placed.has(to)) || (to === key && placed.has(from)),
      );
      return edge ? placed.get(edge.from === key ? edge.to : edge.from).angle : 0;
    };
    const sorted = ring.map((node) => ({ node, near: angleOfParent(node) })).sort((a, b) => a.near - b.near);
    const step = (2 * Math.PI) / sorted.length;
    // A ring is turned so that its first account is beside the one that leads to it.
    const start = depth === 1 ? -Math.PI / 2 : (sorted[0]?.near ?? 0);
    for (const [index, { node }] of sorted.entries()) {
      const angle = start + index * step;
      const radius = depth * RING;
      placed.set(node.key, {
        angle,
        x: CENTER + radius * Math.cos(angle),
        y: CENTER + radius * Math.sin(angle),
      });
    }
  }
  return placed;
}

function element(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}

function titled(made, text) {
  made.append(element('title', {}, text));
  return made;
}

const words = (name) => name.toLowerCase().replaceAll('_', ' ');

/** Names for the accounts of this view: the gateway sends keys alone. */
function namesOf(nodes) {
  // The first node is the account itself.
  return new Map(nodes.map(({ key }, index) => [key, index === 0 ? 'You' : `Account ${index}`]));
}

function drawEdge(edge, places, names) {
  const [from, to] = [places.get(edge.from), places.get(edge.to)];
  const line = element('line', {
    x1: from.x,
    y1: from.y,
    x2: to.x,
    y2: to.y,
    class: `edge ${edge.score >= 0.8 ? 'strong' : 'weak'}`,
    'stroke-width': 1 + 4 * (edge.score - 0.5),
  });
  const shared = edge.matchTypes.map(words).join(', ');
  return titled(
    line,
    `${names.get(edge.from)} – ${names.get(edge.to)}: ${shared}, ${Math.round(edge.score * 100)} %`,
  );
}

function drawNode({ key, depth }, places, names) {
  const { x, y } = places.get(key);
  const radius = depth === 0 ? 26 : 20 - 4 * (depth - 1);
  const label = depth === 0 ? 'You' : names.get(key).replace('Account ', '');
  const group = element(
    'g',
    { class: `node depth-${Math.min(depth, 2)}`, transform: `translate(${x} ${y})` },
    element('circle', { r: radius }),
    element('text', { dy: '0.35em' }, label),
  );
  return titled(group, names.get(key));
}

/** Lists the links of the account; returns their number. */
function drawList({ nodes, edges }, names) {
  const own = nodes[0].key;
  const rows = edges
    .filter(({ from, to }) => from === own || to === own)
    .map(({ from, to, score, firstSeen, matchTypes, evidence }) => {
      const row = document.createElement('li');
      const name = document.createElement('strong');
      name.textContent = names.get(to === own ? from : to);
      const shared = matchTypes.map((type) => {
        const value = evidence.find(({ kind }) => (TYPE_OF_KIND[kind] ?? kind) === type)?.maskedValue;
        // Hashes of devices and networks mean nothing to a reader.
        return value && !HASH.test(value) ? `${words(type)} ${value}` : words(type);
      });
      const facts = document.createElement('span');
      facts.textContent = `${Math.round(score * 100)} % · since ${firstSeen.slice(0, 10)} · ${shared.join(', ')}`;
      row.append(name, facts);
      return row;
    });
  document.querySelector('#links').replaceChildren(...rows);
  return rows.length;
}

const counted = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

function draw(graph) {
  const places = layOut(graph);
  const names = namesOf(graph.nodes);
  const depth = Math.max(...graph.nodes.map((node) => node.depth));
  const rings = Array.from({ length: depth }, (_, index) =>
    element('circle', { cx: CENTER, cy: CENTER, r: (index + 1) * RING, class: 'ring' }),
  );
  const svg = element(
    'svg',
    { viewBox: `0 0 ${SIZE} ${SIZE}`, role: 'img', 'aria-label': 'Accounts linked to yours' },
    ...rings,
    ...graph.edges.map((edge) => drawEdge(edge, places, names)),
    ...graph.nodes.map((node) => drawNode(node, places, names)),
  );
  document.querySelector('#graph').replaceChildren(svg);
  const own = drawList(graph, names);
  const shown = [
    counted(graph.nodes.length - 1, 'other account'),
    counted(own, 'link of your account', 'links of your account'),
    counted(graph.edges.length - own, 'link between others', 'links between others'),
  ];
  document.querySelector('#status').textContent = shown.join(', ') + (graph.truncated ? ', shortened' : '');
}

try {
  draw(await fetchGraph(await fetchAccess()));
} catch (error) {
  document.querySelector('#status').textContent = error.message;
}
