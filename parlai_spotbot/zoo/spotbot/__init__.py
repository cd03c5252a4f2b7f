"""Our models in ParlAI's zoo: `zoo:spotbot/NAME/model`. ParlAI imports this package as `parlai.zoo.spotbot`."""
