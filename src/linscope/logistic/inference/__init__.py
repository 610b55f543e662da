"""The statistics: how sure are the coefficients, and do they mean anything?"""
