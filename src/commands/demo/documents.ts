/* Documents of the public schema that the commands of demonstration data run. */

const DATA = 'demonstrationData { demonstrationState progress problem }';

export const DEMONSTRATION_DATA = `query DemonstrationData { ${DATA} }`;

export const CREATE_DATA = `mutation CreateDemonstrationData { createDemonstrationData { ${DATA} } }`;

export const REMOVE_DATA = `mutation RemoveDemonstrationData { removeDemonstrationData { ${DATA} } }`;
